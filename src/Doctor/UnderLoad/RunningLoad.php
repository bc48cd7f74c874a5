<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * A load from a process of its own, so that sampling does not delay its requests.
 *
 * @internal
 */
interface RunningLoad
{
    public function isRunning(): bool;

    /** Ends it early. Its result covers the time until then. */
    public function stop(): void;

    /** Null without a result. */
    public function traffic(): ?LoadTraffic;
}
