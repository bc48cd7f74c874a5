<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * A process as its supervisor sees it: the decisions of the supervisor can be tested without the kernel.
 *
 * @internal
 */
interface ChildProcess extends ChildLine
{
    /** How one ended that returned 0. */
    public const DONE = 'ended';

    public function pid(): int;

    public function signal(int $signal): void;

    /** @return ?string how it ended, in words; null while it runs */
    public function end(): ?string;
}
