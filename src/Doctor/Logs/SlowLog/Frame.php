<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

/**
 * A function that has not come back yet, and the place from which it was called.
 *
 * @internal
 */
final readonly class Frame
{
    /** @param int $line 0 where it is not known */
    public function __construct(public CallSite $site, public int $line) {}

    /** @param string $root see CallSite::place() */
    public function place(string $root): string
    {
        return $this->site->place($root).":{$this->line}";
    }
}
