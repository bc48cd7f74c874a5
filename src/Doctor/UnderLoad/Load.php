<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * Requests that come from a process of their own, so that looking does not slow them.
 *
 * @internal
 */
interface Load
{
    public function isRunning(): bool;

    /** Ends it early; what was seen until then is its result. */
    public function stop(): void;

    /** Null where it had none to tell. */
    public function traffic(): ?LoadTraffic;
}
