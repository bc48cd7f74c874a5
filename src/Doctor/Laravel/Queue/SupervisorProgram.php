<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * A program of Supervisor (supervisord.org) that works off queues.
 *
 * @internal
 */
final readonly class SupervisorProgram
{
    /** Seconds between the stop signal and SIGKILL, the default of Supervisor. */
    private const DEFAULT = 10;

    /**
     * @param int $line of its section
     * @param bool $isHorizon else one worker
     * @param ?string $connection of a worker; null: the default one
     * @param ?int $timeout of a worker, seconds that a job may take; 0: forever; null: a variable says it
     * @param string $artisan its path; '' where it cannot be told
     * @param ?string $wait stopwaitsecs as it is written; null where it is not set
     * @param ?int $waitLine where that stands
     * @param ?string $waitText that line
     */
    public function __construct(
        public string $name,
        public string $file,
        public int $line,
        public bool $isHorizon,
        public ?string $connection,
        public ?int $timeout,
        public string $artisan,
        public ?string $wait,
        public ?int $waitLine,
        public ?string $waitText,
    ) {}

    /** @throws FactUnavailable */
    public function stopSeconds(): int
    {
        $wait = $this->wait ?? (string) self::DEFAULT;

        return ctype_digit($wait) ? (int) $wait : throw FactUnavailable::because(
            "stopwaitsecs of the program {$this->name} is '{$wait}', which is not a number of seconds.",
            "grep -n stopwaitsecs {$this->file}",
        );
    }

    public function stopEvidence(): Evidence
    {
        return new Evidence(
            'stopwaitsecs',
            ($this->wait ?? self::DEFAULT).' s',
            $this->waitLine === null ? 'default of Supervisor' : "{$this->file}:{$this->waitLine}",
        );
    }

    public function isOf(string $basePath): bool
    {
        $own = realpath("{$basePath}/artisan");
        $said = $this->artisan === '' ? false : realpath($this->artisan);

        // Of one that is not here, as in a container, nothing is known.
        return $own === false || $said === false || $said === $own;
    }
}
