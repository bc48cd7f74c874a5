<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\Sockets\Peer;

/**
 * The wait of one process.
 *
 * @internal
 */
final readonly class Wait
{
    /**
     * @param ?string $why for Unknown the reason and a command; for Other the kernel function; for a peer that the call
     *     does not show, how it was found
     */
    public function __construct(public WaitKind $kind, public ?Peer $peer, public ?string $why, public int $pid) {}
}
