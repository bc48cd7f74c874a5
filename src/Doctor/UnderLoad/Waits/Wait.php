<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\Sockets\Peer;

/**
 * What one process waits for.
 *
 * @internal
 */
final readonly class Wait
{
    /**
     * @param ?string $why of Unknown what was refused and what tells; of Other what it waits in; beside a peer that was
     *                     not seen in the call itself, how it was found
     */
    public function __construct(public WaitKind $kind, public ?Peer $peer, public ?string $why, public int $pid) {}
}
