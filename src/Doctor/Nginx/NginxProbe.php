<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\NginxDump;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\NotApplicable;
use Headroom\Process\Proc;
use Headroom\Process\Programs;
use Headroom\Process\UnableToFindProgram;

/**
 * Finds each nginx that runs and reads the configuration that it would start with now, as `nginx -T` prints it. nginx
 * does not tell which configuration it has read at its last reload.
 *
 * @internal
 */
final readonly class NginxProbe
{
    /** @param int $cpus the value of worker_processes auto */
    public function __construct(
        private int $cpus,
        private CommandRunner $command = new ProcessCommandRunner,
        private Proc $proc = new Proc,
    ) {}

    /** @throws NotApplicable */
    public function servers(): NginxServers
    {
        [$known, $unknown] = [[], []];

        foreach (NginxMaster::running($this->proc) as $master) {
            try {
                $known[] = $this->server($master);
            } catch (FactUnavailable $e) {
                $unknown[$master->pid] = $e;
            }
        }

        return NginxServers::of($known, $unknown);
    }

    /** @throws FactUnavailable */
    public function server(NginxMaster $master): NginxServer
    {
        $this->refuseToRun($master);
        $program = $this->program($master);
        $build = NginxBuild::fromText($this->command->run([$program, '-V'])->errors)
            ?? throw FactUnavailable::because(
                "{$program} does not answer to -V as nginx does.",
                self::shell([$program, '-V']),
            );
        $started = $this->started($master);
        $file = $build->configFile($started);
        $this->agree($master, [$file]);
        $config = $this->config([$program, ...$started->options()], $file, $started->globals ?? '');
        $this->agree($master, $config->files);

        return new NginxServer(new NginxFacts($config, $build->version, $this->cpus), $master);
    }

    /**
     * @param non-empty-list<string> $nginx
     *
     * @throws FactUnavailable
     */
    private function config(array $nginx, string $file, string $globals): NginxConfig
    {
        $printed = $this->command->run([...$nginx, '-T']);
        $dump = $printed->exitCode === 0 ? NginxDump::fromText($printed->output) : null;
        $test = 'sudo '.self::shell([...$nginx, '-t']);

        if ($printed->isRefusal()) {
            throw FactUnavailable::because("nginx -T fails: {$printed->complaint()}", $test);
        }

        try {
            return Parser::dump(
                $dump ?? throw FactUnavailable::because("nginx -T fails: {$printed->complaint()}."),
                $globals,
            );
        } catch (FactUnavailable $notPrinted) {
            // A comment may look like a file that nginx prints; a permission or a slow name server may stop nginx.
        }

        try {
            return Parser::files(new DiskFiles, $file, $globals);
        } catch (FactUnavailable $e) {
            throw FactUnavailable::because("{$notPrinted->getMessage()} {$e->getMessage()}", $test, $e);
        }
    }

    /**
     * Any user may call a process nginx: a program of another user is not run with the rights of this one, and neither
     * are modules that its configuration loads.
     *
     * @throws FactUnavailable
     */
    private function refuseToRun(NginxMaster $master): void
    {
        $dump = self::shell([$master->binary ?? 'nginx', ...$master->started->options(), '-T']);

        if ($master->isElsewhere === true) {
            throw self::elsewhere($master);
        }

        if (! $this->proc->isOurs($master->pid)) {
            throw FactUnavailable::because(
                "The nginx with pid {$master->pid} belongs to another user (".($master->owner ?? 'unknown')
                    .'), whose program is not run.',
                'sudo -u '.escapeshellarg('#'.($master->owner ?? ''))." {$dump}",
            );
        }

        if ($master->binary !== null && ! $this->proc->mayRun($master->pid, $master->binary)) {
            throw FactUnavailable::because(
                "{$master->binary} can be changed or replaced by others than root, as namei -l shows, so it is not"
                    .' run as root.',
                "sudo {$dump}",
            );
        }
    }

    /**
     * The title of the process is never taken for its program: the user that started the process wrote it.
     *
     * @throws FactUnavailable
     */
    private function program(NginxMaster $master): string
    {
        try {
            return $master->binary ?? Programs::nginx();
        } catch (UnableToFindProgram $e) {
            throw FactUnavailable::because(
                "This user may not see which program the nginx with pid {$master->pid} is.",
                "sudo readlink /proc/{$master->pid}/exe",
                $e,
            );
        }
    }

    /**
     * As it was started, with paths that mean the same here.
     *
     * @throws FactUnavailable
     */
    private function started(NginxMaster $master): NginxCommandLine
    {
        $started = $master->started;

        if ($started->prefix === null || str_starts_with($started->prefix, '/')) {
            return $started;
        }

        $prefix = $this->proc->files($master->pid)?->path($started->prefix) ?? throw FactUnavailable::because(
            "The nginx with pid {$master->pid} was started with the prefix {$started->prefix}, relative to a directory"
                .' that is gone or that this user may not see.',
            "sudo readlink /proc/{$master->pid}/cwd",
        );

        return new NginxCommandLine($started->program, $started->config, $prefix, $started->globals);
    }

    /**
     * A directory may be mounted for that process alone.
     *
     * @param list<string> $paths
     *
     * @throws FactUnavailable where this process sees other files there
     */
    private function agree(NginxMaster $master, array $paths): void
    {
        $files = $this->proc->files($master->pid);

        // A file may be a link into another directory.
        foreach (array_unique([...array_map(dirname(...), $paths), ...$paths]) as $path) {
            if ($files !== null && ! $files->agreeBelow($path)) {
                throw self::elsewhere($master);
            }
        }
    }

    private static function elsewhere(NginxMaster $master): FactUnavailable
    {
        return FactUnavailable::because(
            "The nginx with pid {$master->pid} sees other files than this process, as in a container.",
            "sudo nsenter -t {$master->pid} -a nginx -T",
        );
    }

    /** @param list<string> $command */
    private static function shell(array $command): string
    {
        $quoted = static fn (string $word): string
            => preg_match('~\A[\w./-]+\z~', $word) === 1 ? $word : escapeshellarg($word);

        return implode(' ', array_map($quoted, $command));
    }
}
