<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

/**
 * A database server of a test's own, which may be killed and started again on its data.
 */
interface KillableServer
{
    /** @return array<string, scalar> a connection of Laravel's */
    public function connection(): array;

    /** kill -9 of all its processes, then again on the same port and data. */
    public function restart(): void;

    public function stop(): void;
}
