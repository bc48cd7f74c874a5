<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;

/**
 * An nginx with any configuration, on a port of its own.
 */
final readonly class OwnNginx
{
    /** @return array{int, ChildProcess} and its port before it */
    public static function start(TemporaryDirectory $directory, string $config): array
    {
        for ($try = 1; ; $try++) {
            $port = Ports::free();
            $file = $directory->write(
                'nginx.conf',
                strtr($config, ['%DIR%' => $directory->path, '%PORT%' => (string) $port]),
            );
            $nginx = ChildProcess::start(new ProcessOptions(
                'nginx',
                [Programs::nginx(), '-e', $directory->file('nginx.log'), '-p', $directory->path, '-c', $file],
                $directory->file('nginx.out'),
            ));

            try {
                $nginx->awaitReady(
                    static fn (): bool => Ports::accepts($port) && (new Proc)->workers($nginx->pid) !== [],
                );

                return [$port, $nginx];
            } catch (UnableToStart $e) {
                // Another process may have taken the port between the look and the bind.
                if ($try === 3 || ! str_contains($e->log, 'Address already in use')) {
                    throw $e;
                }
            }
        }
    }
}
