import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { WagmiProvider } from "wagmi";
import { App } from "./App.tsx";
import { config } from "./chain.ts";
import "./style.css";

// On a laptop the node's development wallet stands in for the person's own.
if (import.meta.env.DEV || import.meta.env.VITE_DEVELOPMENT_WALLET) {
  const { announceWallet } = await import("hardhat-identity/wallet");
  announceWallet({ rpcUrl: import.meta.env.VITE_RPC_URL });
}

const place = document.getElementById("app");
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <WagmiProvider config={config}>
        <QueryClientProvider client={new QueryClient()}>
          <App />
        </QueryClientProvider>
      </WagmiProvider>
    </StrictMode>,
  );
}
