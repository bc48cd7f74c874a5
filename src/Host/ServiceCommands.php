<?php

declare(strict_types=1);

namespace Headroom\Host;

use Headroom\Process\Proc;

/**
 * The shell commands that reload or restart a running server. They use its systemd unit if it has one, otherwise a
 * signal, and they test the configuration first.
 *
 * @internal
 */
final readonly class ServiceCommands
{
    /** Directories in which a shell and sudo find a program by its name. */
    private const SEARCH_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

    private const UNIT = '.service';

    public function __construct(private int $pid, private Proc $proc) {}

    /**
     * @param non-empty-list<string> $test the command that tests the configuration
     * @param string $signal that makes the server read its configuration
     */
    public function reload(array $test, string $signal): string
    {
        $unit = $this->unit();

        $command = $unit === null ? "kill -{$signal} {$this->pid}" : "systemctl reload {$unit}";

        return "{$this->testCommand($test)} && {$this->sudo()}{$command}";
    }

    /**
     * @param non-empty-list<string> $test the command that tests the configuration
     * @param non-empty-list<string> $start the command that starts a server without a unit
     */
    public function restart(array $test, array $start): string
    {
        $unit = $this->unit();
        $stop = "{$this->testCommand($test)} && {$this->sudo()}kill -QUIT {$this->pid}";

        return match (true) {
            $unit !== null => "{$this->testCommand($test)} && {$this->sudo()}systemctl restart {$unit}",
            $this->pid === 1, $this->isElsewhere() => "{$stop}   # its container ends: start it again",
            default => "{$stop} && while {$this->sudo()}kill -0 {$this->pid} 2>/dev/null; do sleep 1; done; "
                .$this->sudo().ShellWords::line($start),
        };
    }

    /** @param ?string $binary its path; null if this user may not see it */
    public function program(?string $binary, string $otherwise): string
    {
        return match (true) {
            $binary === null => $otherwise,
            in_array(dirname($binary), self::SEARCH_PATH, true) => basename($binary),
            default => $binary,
        };
    }

    /** A path as the server reads it: relative to its working directory. */
    public function path(string $path): string
    {
        $directory = str_starts_with($path, '/') ? null : $this->proc->workingDirectory($this->pid);

        return $directory === null ? $path : rtrim($directory, '/')."/{$path}";
    }

    /** @param non-empty-list<string> $test */
    private function testCommand(array $test): string
    {
        return $this->sudo().($this->isElsewhere() ? "nsenter -t {$this->pid} -a " : '').ShellWords::line($test);
    }

    /** Containers have no sudo, and their users are root. */
    private function sudo(): string
    {
        return $this->proc->hasOnMachine('/usr/bin/sudo') || $this->proc->hasOnMachine('/usr/local/bin/sudo')
            ? 'sudo '
            : '';
    }

    private function isElsewhere(): bool
    {
        return $this->proc->isElsewhere($this->pid) === true;
    }

    /**
     * The name of the server's unit for systemctl. A unit that also holds processes which the server did not start,
     * such as that of cron, supervisord or a login, is not the server's own.
     */
    private function unit(): ?string
    {
        $group = $this->proc->hasOnMachine('/run/systemd/system') && ! $this->isElsewhere()
            ? $this->proc->controlGroup($this->pid)
            : null;
        $unit = basename($group ?? '');

        // A user's own systemd manager needs `systemctl --user` instead.
        $isOfUser = preg_match('~/user@\d+\.service/~', $group ?? '') === 1;

        if ($group === null || $isOfUser || ! str_ends_with($unit, self::UNIT)) {
            return null;
        }

        $others = array_diff(
            $this->proc->inControlGroup($group),
            [$this->pid, ...array_keys($this->proc->descendants($this->pid))],
        );

        return $others === [] ? ShellWords::line([substr($unit, 0, -strlen(self::UNIT))]) : null;
    }
}
