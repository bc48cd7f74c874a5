<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Console\WorkerUnit;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

#[Group('snapshot')]
final class UnitCommandTest extends TestCase
{
    private ?ScratchApplication $app = null;

    protected function tearDown(): void
    {
        $this->app?->remove();
    }

    #[Test]
    public function it_prints_a_unit_with_this_application_s_paths_user_and_php(): void
    {
        $app = $this->app();
        $app->artisan('app:buffer', '1');
        $printed = $app->artisan('spool:unit', 'systemd');
        self::assertSame(0, $printed->exit, $printed->all());
        $unit = self::sections($printed->out);
        $user = posix_getpwuid(posix_geteuid())['name'] ?? '';

        self::assertSame([$user, $app->path()], [$unit['Service']['User'], $unit['Service']['WorkingDirectory']]);
        self::assertSame(PHP_BINARY." {$app->path('artisan')} spool:work --memory=128", $unit['Service']['ExecStart']);
        self::assertSame(['always', 'mixed', 'SIGTERM', '45'], [$unit['Service']['Restart'], $unit['Service']['KillMode'], $unit['Service']['KillSignal'], $unit['Service']['TimeoutStopSec']]);
        // Two buckets, the process above them, and that of heartbeats.
        self::assertSame('1024M', $unit['Service']['MemoryMax']);
        self::assertSame($user === 'root', str_contains($printed->err, ' root'));
        self::assertVerified($printed->out);

        $printed = $app->artisan('spool:unit', 'supervisor');
        self::assertSame(0, $printed->exit, $printed->all());
        $program = parse_ini_string($printed->out, true, INI_SCANNER_RAW);
        self::assertIsArray($program);
        self::assertIsArray($program['program:spool-laravel']);
        self::assertSame(PHP_BINARY." {$app->path('artisan')} spool:work --memory=128", $program['program:spool-laravel']['command']);
        self::assertSame([$app->path(), $user, 'true', 'TERM', '45', 'true'], array_map(static fn (string $key): mixed => $program['program:spool-laravel'][$key], ['directory', 'user', 'autorestart', 'stopsignal', 'stopwaitsecs', 'killasgroup']));
    }

    #[Test]
    public function the_printed_command_runs(): void
    {
        $app = $this->app();
        $app->artisan('app:buffer', '2');
        $command = self::sections($app->artisan('spool:unit', 'systemd')->out)['Service']['ExecStart'];
        $worked = $app->run(['sh', '-c', "{$command} --stop-when-empty"]);

        self::assertSame([0, [2, 1]], [$worked->exit, $worked->numbers()], $worked->err);
    }

    #[Test]
    public function below_a_link_that_deploys_switch_it_names_the_link(): void
    {
        $app = $this->app();
        $link = $app->path('storage/current');
        symlink($app->path(), $link);
        $printed = $app->run([PHP_BINARY, 'artisan', 'spool:unit', 'systemd'], ['PWD' => $link]);

        self::assertSame($link, self::sections($printed->out)['Service']['WorkingDirectory']);
        self::assertStringContainsString("{$link}/artisan spool:work", $printed->out);

        // A directory of that name which leads elsewhere is none.
        $printed = $app->run([PHP_BINARY, 'artisan', 'spool:unit', 'systemd'], ['PWD' => '/']);
        self::assertSame($app->path(), self::sections($printed->out)['Service']['WorkingDirectory']);
    }

    #[Test]
    public function another_supervisor_is_wrong_usage(): void
    {
        $printed = $this->app()->artisan('spool:unit', 'upstart');

        self::assertSame([2, ''], [$printed->exit, $printed->out]);
        self::assertMatchesRegularExpression("/'upstart' .*systemd, supervisor/", $printed->err);
        Snapshot::assertPrinted('spool:unit', 'another supervisor', $printed->err);
    }

    /** @return iterable<string, array{string, string}> */
    public static function awkward(): iterable
    {
        yield 'plain' => ['/srv/shop', 'Shop'];
        yield 'blanks and quotes' => ['/srv/my "own" shop', 'My "own" shop'];
        yield 'a specifier and a variable' => ['/srv/100%n $HOME', '100%n $HOME'];
        yield 'a backslash' => ['/srv/a\\b', 'a\\b'];
        yield 'a line break in the name' => ['/srv/shop', "Shop\nExecStart=/bin/false"];
    }

    #[Test]
    #[DataProvider('awkward')]
    public function names_and_paths_cannot_break_out_of_their_line(string $base, string $application): void
    {
        $unit = new WorkerUnit('spool-shop', $application, $base, '/usr/bin/env', 'root', 3);
        $sections = self::sections($unit->systemd());

        self::assertSame(1, substr_count($unit->systemd(), "\nExecStart="));
        self::assertDoesNotMatchRegularExpression('/[%$]/', str_replace(['%%', '$$'], '', $sections['Service']['ExecStart']), 'No specifier and no variable.');
        self::assertDoesNotMatchRegularExpression('/%/', str_replace('%%', '', $sections['Service']['WorkingDirectory'].$sections['Unit']['Description']));
        self::assertSame("{$base}/artisan", self::unquoted($sections['Service']['ExecStart'])[1]);
        self::assertSame($base, str_replace('%%', '%', $sections['Service']['WorkingDirectory']));
        self::assertVerified($unit->systemd());
    }

    private function app(): ScratchApplication
    {
        $this->app = ScratchApplication::onThisCheckout();
        $this->app->config('spool', "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events'], 'audit' => ['sink' => 'file', 'path' => storage_path('audit.ndjson')]]]");
        $this->app->migrate();

        return $this->app;
    }

    /** systemd's own opinion, where it is to be had. */
    private static function assertVerified(string $unit): void
    {
        $analyze = (new ExecutableFinder)->find('systemd-analyze');

        if ($analyze === null) {
            return;
        }

        $directory = sys_get_temp_dir().'/headroom-unit-'.bin2hex(random_bytes(6));
        mkdir($directory);
        file_put_contents("{$directory}/spool-shop.service", $unit);
        $verify = new Process([$analyze, 'verify', '--man=no', "{$directory}/spool-shop.service"]);
        $verify->run();
        unlink("{$directory}/spool-shop.service");
        rmdir($directory);

        // What it says of other units of the machine is none of ours.
        self::assertSame([], array_filter(explode("\n", $verify->getErrorOutput()), static fn (string $line): bool => str_contains($line, 'spool-shop')), $unit);
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

    /** @return list<string> arguments of a command line as systemd.service(5) reads it */
    private static function unquoted(string $line): array
    {
        preg_match_all('/"((?:[^"\\\\]|\\\\.)*)"|(\S+)/', $line, $words, PREG_SET_ORDER);

        return array_map(static fn (array $word): string => str_replace(['%%', '$$'], ['%', '$'], stripslashes($word[2] ?? $word[1] ?? '')), $words);
    }
}
