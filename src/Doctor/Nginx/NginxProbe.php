<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\NginxDump;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Config\UnableToRead;
use Headroom\Process\Proc;
use Headroom\Process\Programs;
use Headroom\Process\UnableToFindProgram;

/**
 * Finds the nginx that runs, or the one that is installed, and reads the configuration that it would start with now: as
 * `nginx -T` prints it, and where that is refused, from its files. nginx does not tell what it runs
 * with since its last reload.
 *
 * @internal
 */
final readonly class NginxProbe
{
    /** @param int $cpus what worker_processes auto stands for */
    public function __construct(
        private int $cpus,
        private Command $command = new ProcessCommand,
        private Proc $proc = new Proc,
    ) {}

    /** @return non-empty-list<NginxResult> one for each that runs; where none does, the one that is installed */
    public function examine(): array
    {
        $masters = NginxMaster::running($this->proc);

        return $masters === [] ? [$this->ofProgram(null)] : array_map($this->ofProgram(...), $masters);
    }

    private function ofProgram(?NginxMaster $master): NginxResult
    {
        if ($master?->isElsewhere === true) {
            return $this->elsewhere(null, $master);
        }

        // Anybody may call a process nginx: somebody else's program is not run with our rights, and neither are modules
        // that its configuration loads.
        if ($master !== null && ! $this->proc->isOurs($master->pid)) {
            return $this->unknown(
                null,
                $master,
                "The nginx with pid {$master->pid} belongs to another user (".($master->owner ?? 'unknown')
                    .'), whose program is not run.',
                'sudo -u '.escapeshellarg('#'.($master->owner ?? '')).' '
                    .self::shell([$master->binary ?? 'nginx', ...$master->started->options(), '-T']),
            );
        }

        if ($master?->binary !== null && ! $this->proc->mayRun($master->pid, $master->binary)) {
            return $this->unknown(
                null,
                $master,
                "{$master->binary} can be changed or replaced by others than root, as namei -l shows, so it is not"
                    .' run as root.',
                'sudo '.self::shell([$master->binary, ...$master->started->options(), '-T']),
            );
        }

        try {
            // A title is never a program: whoever started the process wrote it.
            $program = $master->binary ?? Programs::nginx();
        } catch (UnableToFindProgram $e) {
            return $master === null
                ? $this->unknown(null, null, "No nginx runs. {$e->getMessage()}")
                : $this->unknown(
                    null,
                    $master,
                    "Which program the nginx with pid {$master->pid} is, this user may not see.",
                    "sudo readlink /proc/{$master->pid}/exe",
                );
        }

        $build = NginxBuild::fromText($this->command->run([$program, '-V'])->errors);

        return $build === null
            ? $this->unknown(
                null,
                $master,
                "{$program} does not answer to -V as nginx does.",
                self::shell([$program, '-V']),
            )
            : $this->configured($program, $build, $master);
    }

    private function configured(string $program, NginxBuild $build, ?NginxMaster $master): NginxResult
    {
        $started = $master === null ? new NginxCommandLine($program) : $this->started($master);

        if ($started === null) {
            return $this->unknown(
                $build,
                $master,
                "The nginx with pid {$master->pid} was started with the prefix {$master->started->prefix}, relative to"
                    .' a directory that is gone or that this user may not see.',
                "sudo readlink /proc/{$master->pid}/cwd",
            );
        }

        if ($master !== null && ! $this->agrees($master, [$build->configFile($started)])) {
            return $this->elsewhere($build, $master);
        }

        $command = [$program, ...$started->options(), '-T'];
        $printed = $this->command->run($command);
        $dump = $printed->exitCode === 0 ? NginxDump::fromText($printed->output) : null;
        $unsure = $master !== null && ($master->binary === null || $master->isElsewhere === null)
            ? "Which program the nginx with pid {$master->pid} is and which files it sees cannot be told;"
                ." {$program} was asked. To see it: sudo ls -l /proc/{$master->pid}/exe /proc/{$master->pid}/root"
            : null;

        if ($master !== null && ! $this->agrees($master, $dump?->paths() ?? [])) {
            return $this->elsewhere($build, $master);
        }

        if ($dump !== null) {
            return $this->known(Parser::dump($dump, $started->globals ?? ''), $unsure, $build, $master);
        }

        $retry = 'sudo '.self::shell($command);
        $reason = "nginx -T fails: {$printed->complaint()}";

        try {
            $config = Parser::files(new DiskFiles, $build->configFile($started), $started->globals ?? '');
        } catch (UnableToRead $e) {
            return $this->unknown(
                $build,
                $master,
                "{$reason}. {$build->configFile($started)}: {$e->getMessage()}.",
                $retry,
            );
        }

        return $this->known(
            $config,
            "{$reason}. The files were read instead. To see it: {$retry}".($unsure === null ? '' : ". {$unsure}"),
            $build,
            $master,
        );
    }

    /**
     * Whether this process has all files beside these in common with that one. A directory may be
     * mounted for that one alone.
     *
     * @param list<string> $paths
     */
    private function agrees(NginxMaster $master, array $paths): bool
    {
        $files = $this->proc->files($master->pid);
        // A file may be a link into another directory.
        $all = array_unique([...array_map(dirname(...), $paths), ...$paths]);

        // Of one whose files cannot be seen the result says so.
        return $files === null
            || array_filter($all, static fn (string $path): bool => ! $files->agreeBelow($path)) === [];
    }

    private function elsewhere(?NginxBuild $build, NginxMaster $master): NginxResult
    {
        return $this->unknown(
            $build,
            $master,
            "The nginx with pid {$master->pid} sees other files than this process, as in a container.",
            "sudo nsenter -t {$master->pid} -a nginx -T",
        );
    }

    /**
     * @return ?NginxCommandLine as it was started, with paths that mean the same here; null where that cannot be told
     */
    private function started(NginxMaster $master): ?NginxCommandLine
    {
        $started = $master->started;

        if ($started->prefix === null || str_starts_with($started->prefix, '/')) {
            return $started;
        }

        $prefix = $this->proc->files($master->pid)?->path($started->prefix);

        return $prefix === null
            ? null
            : new NginxCommandLine($started->program, $started->config, $prefix, $started->globals);
    }

    /** @param list<string> $command */
    private static function shell(array $command): string
    {
        return implode(
            ' ',
            array_map(
                static fn (string $word): string
                    => preg_match('~\A[\w./-]+\z~', $word) === 1 ? $word : escapeshellarg($word),
                $command,
            ),
        );
    }

    private function known(NginxConfig $config, ?string $reason, NginxBuild $build, ?NginxMaster $master): NginxResult
    {
        return new NginxResult(
            new NginxFacts($config, $build->version, $this->cpus),
            $reason,
            $build->version,
            $master,
        );
    }

    /** @param string $command what would tell */
    private function unknown(
        ?NginxBuild $build,
        ?NginxMaster $master,
        string $reason,
        string $command = '',
    ): NginxResult {
        return new NginxResult(null, $reason, $build?->version, $master, $command);
    }
}
