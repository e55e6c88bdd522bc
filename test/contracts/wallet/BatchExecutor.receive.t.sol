// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

import {BatchExecutorTest} from "./BatchExecutorTest.sol";

contract Collectible is ERC721("Collectible", "C") {
    function mint(address to) external {
        _safeMint(to, 1);
    }
}

contract Tokens is ERC1155("") {
    function mint(address to) external {
        _mint(to, 1, 5, "");
    }

    function mintBatch(address to) external {
        uint256[] memory ids = new uint256[](2);
        uint256[] memory values = new uint256[](2);
        (ids[0], ids[1], values[0], values[1]) = (2, 3, 6, 7);
        _mintBatch(to, ids, values, "");
    }
}

contract BatchExecutorReceiveTest is BatchExecutorTest {
    function test_receive_takesEtherWithTheStipendAlone() public {
        vm.deal(address(this), 1 ether);
        // A call with a value has 2 300 gas of its own, as `transfer` gives.
        (bool success, ) = address(account).call{value: 1 ether, gas: 0}("");
        require(success && address(account).balance == 11 ether, "the ether arrives");
    }

    function testFuzz_fallback_takesEtherWithAnyData(bytes8 data) public {
        vm.deal(address(this), 1 ether);
        (bool success, ) = address(account).call{value: 1 ether}(bytes.concat(hex"00000000", data));
        require(success && address(account).balance == 11 ether, "the ether arrives");
    }

    function test_onERC721Received_takesAToken() public {
        Collectible collectible = new Collectible();
        collectible.mint(address(account));
        require(collectible.ownerOf(1) == address(account), "the token arrives");
    }

    function test_onERC1155Received_takesTokens() public {
        Tokens tokens = new Tokens();
        tokens.mint(address(account));
        require(tokens.balanceOf(address(account), 1) == 5, "the tokens arrive");
    }

    function test_onERC1155BatchReceived_takesTokens() public {
        Tokens tokens = new Tokens();
        tokens.mintBatch(address(account));
        require(tokens.balanceOf(address(account), 2) == 6, "the first tokens arrive");
        require(tokens.balanceOf(address(account), 3) == 7, "the second tokens arrive");
    }

    function test_supportsInterface_namesTheReceiver() public view {
        require(account.supportsInterface(type(IERC1155Receiver).interfaceId), "ERC-1155 receiver");
        require(account.supportsInterface(type(IERC165).interfaceId), "ERC-165");
        require(!account.supportsInterface(0xffffffff), "never this one");
    }
}
