//! The browser bundle: nothing but the islands of `app`.

// Without this the linker drops the crate and with it every island, silently.
extern crate app;

#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
