<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use Headroom\Process\TemporaryDirectory;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * The programs for which a block is written. Without the program a block is only read.
 */
final readonly class OutsidePrograms
{
    private const YAML = 'import sys, yaml; list(yaml.safe_load_all(sys.stdin))';

    /** The parts of nginx.conf in which a block may stand. The reader's own upstreams and zones are not there. */
    private const CONTEXTS = [
        "events {}\nhttp {\n%s\n}\n",
        "events {}\nhttp { server {\n%s\n} }\n",
        "events {}\nhttp { server { location / {\n%s\n} } }\n",
        "events {}\nstream {\n%s\n}\n",
        '%s',
    ];

    public function __construct(private TemporaryDirectory $directory) {}

    public function bash(string $code): Verdict
    {
        // Laravel Forge replaces $CREATE_RELEASE() and its other macros before bash reads a deploy script.
        return $this->accepts(['bash', '-n'], (string) preg_replace('/^\$[A-Z_]+\(\)$/m', ':', $code));
    }

    public function yaml(string $code): Verdict
    {
        $hasYaml = $this->run(['python3', '-c', 'import yaml']) === '';

        return $hasYaml ? $this->accepts(['python3', '-c', self::YAML], $code) : Verdict::onlyRead();
    }

    public function javascript(string $code): Verdict
    {
        $file = $this->write('block.mjs', $code);

        return $this->accepts(['node', '--check', $file]);
    }

    public function nginx(string $code): Verdict
    {
        if (self::path('nginx') === null) {
            return Verdict::onlyRead();
        }

        $fault = '';

        foreach (self::CONTEXTS as $context) {
            // Certificates, logs and ports of the reader's are not of this machine.
            $own = preg_replace('/^\s*(?:ssl_certificate(?:_key)?|access_log|error_log|include)\s[^;]+;/m', '', $code);
            $own = preg_replace('/\b(listen\s+[^;]*?)\s+(?:ssl|http2|quic)\b/', '$1', (string) $own);
            $file = $this->write('nginx.conf', sprintf($context, (string) $own));
            $error = $this->run(['nginx', '-t', '-q', '-c', $file, '-e', 'stderr', '-g', 'pid '.$file.'.pid;']);

            // Grammar was accepted; ports, hosts and directories are the reader's.
            if ($error === '' || preg_match('/host not found|bind\(\)|mkdir\(\)|open\(\)|"user"/', $error) === 1) {
                return Verdict::checked();
            }

            $fault = $fault === '' || str_contains($fault, 'not allowed here') ? $error : $fault;
        }

        return Verdict::fault($fault);
    }

    public function systemd(string $code): Verdict
    {
        if (self::path('systemd-analyze') === null) {
            return Verdict::onlyRead();
        }

        $name = str_contains($code, '[Timer]') ? 'headroom-block.timer' : 'headroom-block.service';
        $file = $this->write($name, (string) preg_replace('~^(ExecStart|ExecReload)=\S+~m', '$1=/bin/true', $code));
        preg_match_all(
            '/^.*headroom-block.*(?:Unknown|Failed to parse|Invalid|Missing).*$/m',
            $this->run(['systemd-analyze', 'verify', '--man=no', $file]),
            $faults,
        );

        return Verdict::from($faults[0]);
    }

    /** @param non-empty-list<string> $command */
    private function accepts(array $command, string $input = ''): Verdict
    {
        if (self::path($command[0]) === null) {
            return Verdict::onlyRead();
        }

        $error = $this->run($command, $input);

        return $error === '' ? Verdict::checked() : Verdict::fault($error);
    }

    /**
     * @param list<string> $command
     * @return string what it printed to stderr, or its exit code if that is not 0
     */
    private function run(array $command, string $input = ''): string
    {
        $process = new Process($command, input: $input, timeout: 60);
        $exit = $process->run();
        $error = trim($process->getErrorOutput());

        return $error === '' && $exit !== 0 ? "{$command[0]} ended with {$exit}." : $error;
    }

    private function write(string $name, string $code): string
    {
        $this->directory->write($name, $code);

        return $this->directory->file($name);
    }

    private static function path(string $program): ?string
    {
        return (new ExecutableFinder)->find($program, null, ['/usr/sbin', '/sbin']);
    }
}
