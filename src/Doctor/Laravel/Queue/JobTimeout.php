<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;

/**
 * The timeout of jobs of a queue connection, by its source.
 *
 * @internal
 */
final readonly class JobTimeout
{
    /**
     * @param string $of a supervisor, workers, a class of jobs
     * @param int $seconds 0: nothing ends them
     * @param ?string $key of the configuration that sets it
     * @param bool $isGuess whether no worker is known and this is Laravel's default
     */
    public function __construct(
        public string $of,
        public string $connection,
        public int $seconds,
        public Evidence $evidence,
        public ?string $key = null,
        public Confidence $confidence = Confidence::Configured,
        public bool $isGuess = false,
    ) {}

    public function isOfHorizon(): bool
    {
        return $this->key !== null || str_ends_with($this->of, ' of config/horizon.php');
    }
}
