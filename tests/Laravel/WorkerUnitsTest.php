<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * The units in docs/deployment.md keep `spool:work` running as systemd and Supervisor read them.
 */
final class WorkerUnitsTest extends TestCase
{
    private const ROOT = '/var/www/shop/current';

    /** Of Process\Supervision\SupervisorOptions. */
    private const GRACE_SECONDS = 30;

    #[Test]
    public function the_unit_of_systemd_restarts_the_worker_and_gives_it_time_to_end(): void
    {
        $unit = self::sections(self::unit('[Unit]'));
        $service = $unit['Service'];

        self::assertSame(['Unit', 'Service', 'Install'], array_keys($unit));
        self::assertSame(
            ['always', 'mixed', 'SIGTERM'],
            [$service['Restart'], $service['KillMode'], $service['KillSignal']],
        );
        self::assertSame(
            '0',
            $unit['Unit']['StartLimitIntervalSec'],
            'A wrong configuration stops it for good otherwise.',
        );
        self::assertGreaterThan(self::GRACE_SECONDS, (int) $service['TimeoutStopSec']);
        self::assertSame(self::ROOT, $service['WorkingDirectory']);
    }

    #[Test]
    public function the_program_of_supervisor_does_the_same(): void
    {
        $parsed = parse_ini_string(self::unit('[program:spool-shop]'), true, INI_SCANNER_RAW);
        self::assertIsArray($parsed);
        self::assertSame(['program:spool-shop'], array_keys($parsed));
        $program = $parsed['program:spool-shop'];
        self::assertIsArray($program);

        $named = static fn (string $key): mixed => $program[$key] ?? null;
        self::assertSame(
            ['true', 'TERM', 'false', 'true', self::ROOT],
            array_map($named, ['autorestart', 'stopsignal', 'stopasgroup', 'killasgroup', 'directory']),
        );
        self::assertIsNumeric($program['stopwaitsecs']);
        self::assertGreaterThan(self::GRACE_SECONDS, (int) $program['stopwaitsecs']);
        self::assertSame(self::sections(self::unit('[Unit]'))['Service']['ExecStart'], $program['command']);
    }

    #[Test]
    public function the_command_of_both_runs(): void
    {
        $command = self::sections(self::unit('[Unit]'))['Service']['ExecStart'];
        $app = ScratchApplication::onThisCheckout();

        try {
            $here = str_replace(['/usr/bin/php', self::ROOT], [Programs::php(), $app->path()], $command, $replaced);
            $worked = $app->run(['sh', '-c', "{$here} --stop-when-empty"]);
        } finally {
            $app->remove();
        }

        self::assertSame([2, 0], [$replaced, $worked->exit], $worked->all());
    }

    #[Test]
    public function systemd_finds_no_mistake_in_its_unit(): void
    {
        $analyze = (new ExecutableFinder)->find('systemd-analyze');

        if ($analyze === null) {
            self::markTestSkipped('systemd-analyze is not installed.');
        }

        $directory = TemporaryDirectory::create('unit');

        try {
            $unit = str_replace(['/usr/bin/php', self::ROOT], ['/usr/bin/env', '/'], self::unit('[Unit]'));
            $verify = new Process([$analyze, 'verify', '--man=no', $directory->write('spool-shop.service', $unit)]);
            $verify->run();
        } finally {
            $directory->remove();
        }

        // It checks the other units of the machine as well.
        $own = array_filter(
            explode("\n", $verify->getErrorOutput()),
            static fn (string $line): bool => str_contains($line, 'spool-shop'),
        );
        self::assertSame([], $own, $unit);
    }

    private static function unit(string $begin): string
    {
        $page = (string) file_get_contents(dirname(__DIR__, 2).'/docs/deployment.md');
        self::assertSame(1, preg_match('/^```ini\n('.preg_quote($begin, '/').'\n.*?)^```$/ms', $page, $m));

        return $m[1];
    }

    /** @return array<string, array<string, string>> */
    private static function sections(string $unit): array
    {
        $sections = [];
        $section = '';

        foreach (explode("\n", $unit) as $line) {
            if (preg_match('/^\[(\w+)\]$/', $line, $m) === 1) {
                $section = $m[1];
            } elseif (preg_match('/^(\w+)=(.*)$/', $line, $m) === 1) {
                self::assertArrayNotHasKey($m[1], $sections[$section] ?? []);
                $sections[$section][$m[1]] = $m[2];
            } else {
                self::assertMatchesRegularExpression('/^(#.*)?$/', $line);
            }
        }

        return $sections;
    }
}
