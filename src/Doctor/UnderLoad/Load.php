<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * Requests from a process of their own, so that sampling does not delay them.
 *
 * @internal
 */
interface Load
{
    public function isRunning(): bool;

    /** Ends it early. Its result covers the time until then. */
    public function stop(): void;

    /** Null without a result. */
    public function traffic(): ?LoadTraffic;
}
