<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

/**
 * What keeps `spool:work` running, in the words of a supervisor.
 *
 * @internal
 */
final readonly class WorkerUnit
{
    /** MiB; a process that takes more ends and another one goes on. */
    private const MEMORY = 128;

    /** Beyond the thirty seconds after which the worker kills what does not end. */
    private const STOP_SECONDS = 45;

    /**
     * @param string $name of the unit, such as "spool-shop"
     * @param string $application what people call it
     * @param string $base directory of the application, as a deploy leaves it
     * @param int $processes that a worker consists of
     */
    public function __construct(
        private string $name,
        private string $application,
        private string $base,
        private string $php,
        private string $user,
        private int $processes,
    ) {}

    public function systemd(): string
    {
        $most = 2 * self::MEMORY * $this->processes;

        return <<<TEXT
            # {$this->inOneLine("/etc/systemd/system/{$this->name}.service")}
            # php artisan spool:unit systemd | sudo tee /etc/systemd/system/{$this->name}.service
            # sudo systemctl daemon-reload && sudo systemctl enable --now {$this->name}
            [Unit]
            Description={$this->forSystemd("Write buffer of {$this->application}")}
            After=network.target
            StartLimitIntervalSec=0

            [Service]
            User={$this->user}
            WorkingDirectory={$this->forSystemd($this->base)}
            ExecStart={$this->quoted($this->php)} {$this->quoted("{$this->base}/artisan")} spool:work --memory={$this->mebibytes()}
            # It ends with 0 to be started anew: after spool:restart, and when it takes too much memory.
            Restart=always
            RestartSec=1
            KillMode=mixed
            KillSignal=SIGTERM
            TimeoutStopSec={$this->seconds()}
            # All processes together. Print this unit again after declaring buckets: each has a process of its own.
            MemoryMax={$most}M

            [Install]
            WantedBy=multi-user.target

            TEXT;
    }

    public function supervisor(): string
    {
        $artisan = "{$this->base}/artisan";

        return <<<TEXT
            ; {$this->inOneLine("/etc/supervisor/conf.d/{$this->name}.conf")}
            ; php artisan spool:unit supervisor | sudo tee /etc/supervisor/conf.d/{$this->name}.conf
            ; sudo supervisorctl reread && sudo supervisorctl update
            [program:{$this->name}]
            command={$this->forSupervisor("{$this->shell($this->php)} {$this->shell($artisan)} spool:work --memory={$this->mebibytes()}")}
            directory={$this->forSupervisor($this->base)}
            user={$this->user}
            numprocs=1
            autostart=true
            ; It ends with 0 to be started anew: after spool:restart, and when it takes too much memory.
            autorestart=true
            ; A configuration that is wrong for an hour must not end it for good.
            startretries=100000
            stopsignal=TERM
            stopwaitsecs={$this->seconds()}
            stopasgroup=false
            killasgroup=true
            redirect_stderr=true
            stdout_logfile={$this->forSupervisor("{$this->base}/storage/logs/{$this->name}.log")}
            stdout_logfile_maxbytes=10MB
            stdout_logfile_backups=2

            TEXT;
    }

    private function mebibytes(): int
    {
        return self::MEMORY;
    }

    private function seconds(): int
    {
        return self::STOP_SECONDS;
    }

    private function inOneLine(string $text): string
    {
        return (string) preg_replace('/[\x00-\x1f\x7f]+/', ' ', $text);
    }

    /** systemd.syntax(7): a percent sign begins a specifier. */
    private function forSystemd(string $text): string
    {
        return str_replace('%', '%%', $this->inOneLine($text));
    }

    /** systemd.service(5), command lines: a dollar sign begins a variable. */
    private function quoted(string $argument): string
    {
        $text = str_replace('$', '$$', $this->forSystemd($argument));

        return preg_match('~\A[\w./%$:@+-]+\z~', $text) === 1 ? $text : '"'.addcslashes($text, '"\\').'"';
    }

    private function forSupervisor(string $text): string
    {
        return str_replace('%', '%%', $this->inOneLine($text));
    }

    private function shell(string $argument): string
    {
        return preg_match('~\A[\w./:@+-]+\z~', $argument) === 1 ? $argument : '"'.addcslashes($argument, '"\\').'"';
    }
}
