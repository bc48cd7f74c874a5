<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * A program of Supervisor (supervisord.org) that runs queue workers.
 *
 * @internal
 */
final readonly class SupervisorProgram
{
    /** Seconds between the stop signal and SIGKILL, the default of Supervisor. */
    private const DEFAULT = 10;

    /**
     * @param int $line of its section
     * @param bool $isHorizon otherwise a worker
     * @param ?string $connection of a worker; null: the default one
     * @param ?int $timeout of a worker, timeout of a job in seconds; 0: none; null: set by a variable
     * @param string $artisan its path; '' if unknown
     * @param ?string $wait stopwaitsecs as written; null if it is not set
     * @param ?int $waitLine its line number
     * @param ?string $waitText the text of that line
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

    /** The line that sets how long Supervisor waits. */
    public function withStopSeconds(int $seconds): Edit
    {
        $line = "stopwaitsecs={$seconds}";
        $edit = $this->waitLine === null
            ? Edit::insert($this->file, $this->line + 1, $line)
            : Edit::replace($this->file, $this->waitLine, (string) $this->waitText, $line);

        return $edit->effectiveAfter('sudo supervisorctl reread');
    }

    public function isOf(string $basePath): bool
    {
        $own = realpath("{$basePath}/artisan");
        $path = $this->artisan === '' ? false : realpath($this->artisan);

        // A program that is not visible here, as in a container, is unknown.
        return $own === false || $path === false || $path === $own;
    }
}
