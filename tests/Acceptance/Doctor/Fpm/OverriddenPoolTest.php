<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Checks\OverriddenPool;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Status;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * A pool in two files, read by a PHP-FPM that runs.
 */
final class OverriddenPoolTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ?Process $process = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->directory = TemporaryDirectory::create('overridden');
        mkdir($this->directory->file('d'));
    }

    protected function tearDown(): void
    {
        $this->process?->stop(5, SIGTERM);

        if (isset($this->directory)) {
            $this->directory->remove();
        }
    }

    /**
     * @return iterable<string, array{string, string, list<string>}> what two files say besides,
     *     and what of the first has no effect
     */
    public static function files(): iterable
    {
        yield 'another number' => ['pm.max_children = 200', 'pm.max_children = 5', ['pm.max_children = 200']];
        yield 'two settings' => [
            "pm.max_children = 200\nrequest_terminate_timeout = 60",
            "request_terminate_timeout = 9\npm.max_children = 5",
            ['pm.max_children = 200', 'request_terminate_timeout = 60'],
        ];
        yield 'the same value twice' => ['pm.max_children = 5', 'pm.max_children = 5', []];
        yield 'other settings' => ['pm.max_children = 5', 'request_terminate_timeout = 9', []];
        yield 'a list' => ["pm.max_children = 5\nenv[A] = 1", 'env[B] = 2', []];
    }

    /** @param list<string> $lost */
    #[Test]
    #[DataProvider('files')]
    public function lines_without_effect_are_named(string $first, string $second, array $lost): void
    {
        $one = $this->directory->write(
            'd/laravel.pool.conf',
            "[WWW]\nlisten = {$this->directory->path}/s.sock\npm = static\n{$this->user()}{$first}\n",
        );
        $this->directory->write('d/www.conf', "[www]\n{$second}\n");
        $pool = $this->started($this->directory->write(
            'fpm.conf',
            "[global]\nerror_log = {$this->directory->path}/log\ninclude = {$this->directory->path}/d/*.conf\n",
        ));
        $finding = $this->examined($pool);

        self::assertSame($lost === [] ? Status::Pass : Status::Warn, $finding->status, $finding->message);
        $ineffective = array_filter(
            $finding->evidence,
            static fn (Evidence $evidence): bool => str_starts_with($evidence->source, "{$one}:"),
        );
        self::assertEqualsCanonicalizing(
            $lost,
            array_map(
                static fn (Evidence $evidence): string => "{$evidence->what} = {$evidence->value}",
                $lost === [] ? [] : array_values($ineffective),
            ),
        );

        foreach ($lost as $line) {
            [$name, $value] = explode(' = ', $line);
            self::assertNotSame($value, $pool->settings->setting($name)?->value, 'So says php-fpm itself.');
        }
    }

    /**
     * @return iterable<string, array{string, string, string, string}> two files, the value that
     *     PHP has and the lost line
     */
    public static function iniValues(): iterable
    {
        [$value, $admin] = ['php_value[memory_limit]', 'php_admin_value[memory_limit]'];

        yield 'php_admin_value twice' => ["{$admin} = 64M", "{$admin} = 512M", '64M', "{$admin} = 512M"];
        yield 'php_value twice' => ["{$value} = 64M", "{$value} = 512M", '64M', "{$value} = 512M"];
        yield 'admin first' => ["{$admin} = 64M", "{$value} = 512M", '64M', "{$value} = 512M"];
        yield 'admin last' => ["{$value} = 64M", "{$admin} = 512M", '512M', "{$value} = 64M"];
        yield 'lists that add up' => [
            "{$admin} = 64M\nphp_admin_value[disable_functions] = exec",
            'php_admin_value[disable_functions] = system',
            '64M',
            '',
        ];
    }

    #[Test]
    #[DataProvider('iniValues')]
    public function of_two_ini_values_the_one_that_php_keeps_holds(
        string $first,
        string $second,
        string $kept,
        string $lost,
    ): void {
        $here = "listen = {$this->directory->path}/s.sock\npm = static\npm.max_children = 1\n{$this->user()}";
        $this->directory->write('d/a.conf', "[www]\n{$here}{$first}\n");
        $this->directory->write('d/b.conf', "[www]\n{$second}\n");
        $main = "[global]\nerror_log = {$this->directory->path}/log\ninclude = {$this->directory->path}/d/*.conf\n";
        $pool = $this->started($this->directory->write('fpm.conf', $main));
        $finding = $this->examined($pool);

        self::assertSame($kept, $pool->runtime()->ini('memory_limit')?->value);
        self::assertSame($lost === '' ? Status::Pass : Status::Warn, $finding->status, $finding->message);
        self::assertSame($lost !== '', str_starts_with($finding->message, "{$lost} in "), $finding->message);
    }

    private function examined(FpmPool $pool): Finding
    {
        return (new OverriddenPool)->examine($pool, new Facts([]));
    }

    private function started(string $config): FpmPool
    {
        $root = posix_geteuid() === 0 ? ['-R'] : [];
        $this->process = new Process([Programs::fpm(), '--nodaemonize', '-y', $config, ...$root], timeout: null);
        $this->process->start();
        $pid = (int) $this->process->getPid();
        Eventually::true(static fn (): bool => str_contains(
            (string) @file_get_contents("/proc/{$pid}/cmdline"),
            ': master process',
        ));
        $mine = array_values(array_filter(
            (new FpmProbe)->facts()->pools,
            static fn (FpmPool $pool): bool => $pool->master->pid === $pid,
        ));

        return $mine[0] ?? self::fail('The pool is not seen.');
    }

    private function user(): string
    {
        return posix_geteuid() === 0 ? "user = www-data\ngroup = www-data\n" : '';
    }
}
