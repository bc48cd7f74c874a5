<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Host\ServiceCommands;
use Headroom\Process\Proc;
use Headroom\Process\ProcStat;

/**
 * A running nginx. A value that the kernel shows only to its owner is null for other users.
 *
 * @internal
 */
final readonly class NginxMaster
{
    private const NAME = 'nginx';

    private const TITLE = 'nginx: master process ';

    private const WORKER = 'nginx: worker process';

    /**
     * @param ?string $binary null where this user may not see it
     * @param NginxCommandLine $started with these arguments
     * @param ?int $openFiles how many descriptors it may have
     * @param array<int, ?int> $workers how many each of them may have, by pid; those that are
     *     shutting down are not among them
     * @param ?int $owner the user it runs as
     * @param ?bool $isElsewhere whether it sees other files than we do, as in a container
     */
    private function __construct(
        public int $pid,
        public ?string $binary,
        public NginxCommandLine $started,
        public ?int $openFiles,
        public array $workers,
        public ?int $owner,
        public ?bool $isElsewhere,
        private ServiceCommands $commands,
    ) {}

    /** The command that makes nginx read its configuration again. */
    public function reload(): string
    {
        return $this->commands->reload([...$this->start(), '-t'], 'HUP');
    }

    /** The command that makes nginx open its sockets again. */
    public function restart(): string
    {
        return $this->commands->restart([...$this->start(), '-t'], $this->start());
    }

    /** @return non-empty-list<string> */
    private function start(): array
    {
        $prefix = $this->started->prefix === null ? null : $this->commands->path($this->started->prefix);
        $started = new NginxCommandLine(
            $this->started->program,
            $this->started->config,
            $prefix,
            $this->started->globals,
        );

        return [$this->commands->program($this->binary, self::NAME), ...$started->options()];
    }

    /** @return list<self> */
    public static function running(Proc $proc): array
    {
        $masters = [];

        foreach ($proc->named(self::NAME) as $stat) {
            $line = $proc->commandLine($stat->pid);
            $title = implode(' ', $line);

            if (str_starts_with($title, self::TITLE) && ! $proc->isFreshFork($stat->pid, $line)) {
                $masters[] = self::fromTitle($stat, substr($title, strlen(self::TITLE)), $proc);
            }
        }

        return $masters;
    }

    private static function fromTitle(ProcStat $stat, string $line, Proc $proc): self
    {
        $workers = [];

        foreach (array_keys($proc->children($stat->pid)) as $pid) {
            if (implode(' ', $proc->commandLine($pid)) === self::WORKER) {
                $workers[$pid] = $proc->openFilesLimit($pid);
            }
        }

        return new self(
            $stat->pid,
            $proc->executable($stat->pid),
            NginxCommandLine::fromTitle($line),
            $proc->openFilesLimit($stat->pid),
            $workers,
            $proc->owner($stat->pid),
            $proc->isElsewhere($stat->pid),
            new ServiceCommands($stat->pid, $proc),
        );
    }
}
