<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\FpmConfig;
use Headroom\Doctor\Fpm\Config\FpmDump;
use Headroom\Doctor\Fpm\Config\FpmParseIssue;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FpmDumpTest extends TestCase
{
    private const COMMAND = 'php-fpm -tt';

    #[Test]
    public function the_dump_of_php_8_2_is_read(): void
    {
        $config = FpmDump::parse(self::printed('dump-8.2.txt'), self::COMMAND);
        $www = $config->pool('www');

        self::assertSame(
            [[], true, ['api', 'www']],
            [$config->misreads, $config->isEffective, array_keys($config->pools)],
        );
        self::assertSame(
            [17, 40, 46],
            [
                count($config->global->settings),
                count($config->pool('api')->settings ?? []),
                count($www->settings ?? []),
            ],
        );
        self::assertSame(
            [20, 10, 'undefined'],
            [
                $config->global->integer('process.max'),
                $config->global->seconds('process_control_timeout'),
                $config->global->setting('process.priority')?->value,
            ],
        );
        self::assertNotNull($www);
        self::assertSame([5, 60, 10, null, '/status'], [
            $www->integer('pm.max_children'), $www->seconds('request_terminate_timeout'),
            $www->seconds('pm.process_idle_timeout'), $www->text('chroot'),
            $www->text('pm.status_path'),
        ]);
        self::assertSame(['32M', 33_554_432, false, '/tmp/x y'], [
            $www->ini('memory_limit')?->value, $www->ini('memory_limit')?->bytes(),
            $www->ini('display_errors')?->truth(), $www->ini('session.save_path')?->value,
        ]);
        self::assertSame(
            '%R - %u %t "%m %r%Q%q" %s %f %{milliseconds}d %{kilobytes}M %C%%',
            $www->text('access.format'),
        );
        self::assertSame(
            ['-1', self::COMMAND],
            [
                $config->pool('api')?->setting('listen.backlog')?->value,
                $config->pool('api')?->setting('listen.backlog')?->origin,
            ],
        );
    }

    #[Test]
    public function the_longer_lines_of_log_level_debug_are_read(): void
    {
        $config = FpmDump::parse(self::printed('dump-8.2-debug.txt'), self::COMMAND);

        self::assertSame(
            [[], ['www'], 5],
            [$config->misreads, array_keys($config->pools), $config->pool('www')?->integer('pm.max_children')],
        );
    }

    #[Test]
    public function cut_at_any_byte_it_is_a_failure_until_its_last_line_is_there(): void
    {
        $text = self::printed('dump-8.2.txt');
        $end = strlen((string) strstr($text, 'is successful', true)) + strlen('is successful');

        for ($cut = 0; $cut < $end; $cut++) {
            try {
                FpmDump::parse(substr($text, 0, $cut), self::COMMAND);
                self::fail("Cut at {$cut} it is not whole.");
            } catch (FactUnavailable $e) {
                self::assertStringContainsString('sudo '.self::COMMAND, $e->command);
            }
        }

        self::assertCount(2, FpmDump::parse(substr($text, 0, $end), self::COMMAND)->pools);
    }

    /** @return iterable<string, array{string, string}> */
    public static function failures(): iterable
    {
        yield 'a log_level that hides it' => ['', 'log_level'];
        yield 'an error' => [
            "[22-Nov-2026 13:24:36] ERROR: failed to open error_log (/var/log/x): Permission denied (13)\n",
            'Permission denied (13)',
        ];
        yield 'another program' => ["Usage: fpm [options]\n", 'Usage: fpm'];
    }

    #[Test]
    #[DataProvider('failures')]
    public function the_words_of_a_failure_are_kept(string $text, string $words): void
    {
        try {
            FpmDump::parse($text, self::COMMAND);
            self::fail('It is no configuration.');
        } catch (FactUnavailable $e) {
            self::assertStringContainsString($words, $e->getMessage());
            self::assertSame('sudo '.self::COMMAND, $e->command);
        }
    }

    #[Test]
    public function lines_that_are_no_settings_are_named_and_warnings_are_not(): void
    {
        $config = self::lines(
            "[x] WARNING: Nothing matches the include pattern\n[x] NOTICE: \tpm = static\n[x] NOTICE:"
                ." what is this\nand this",
        );

        self::assertSame(
            ['php-fpm -tt:6 what is this', 'php-fpm -tt:7 and this'],
            array_map(self::place(...), $config->misreads),
        );
        self::assertSame('static', $config->pool('www')?->text('pm'));
    }

    #[Test]
    public function remarks_of_fpm_before_the_dump_are_not_configuration(): void
    {
        $config = FpmDump::parse(
            "[x] NOTICE: [pool www] pm.start_servers is not set. It's been set to 2.\n[x] NOTICE: [global]\n[x] NOTICE:"
                ." [www]\n[x] NOTICE: \tpm.start_servers = 2\n[x] NOTICE: configuration file /a test is successful\n",
            self::COMMAND,
        );

        self::assertSame(
            [[], ['www'], 2],
            [$config->misreads, array_keys($config->pools), $config->pool('www')?->integer('pm.start_servers')],
        );
    }

    #[Test]
    public function a_value_longer_than_a_line_of_the_log_is_not_taken_for_whole(): void
    {
        $long = "[22-Nov-2026 13:10:49] NOTICE: \tenv[X] = ";
        $long .= str_repeat('a', 1_020 - strlen($long)).'...';
        $config = self::lines($long."\n[x] NOTICE: \tenv[Y] = b...");

        self::assertSame(
            [1_023, null, 'b...'],
            [strlen($long), $config->pool('www')?->setting('env[X]'), $config->pool('www')?->text('env[Y]')],
        );
        self::assertSame(['php-fpm -tt:4 env[X]'], array_map(self::place(...), $config->misreads));
    }

    #[Test]
    public function a_pool_may_be_called_anything_and_an_empty_value_is_one(): void
    {
        $config = FpmDump::parse(
            "[x] NOTICE: [global]\n[x] NOTICE:  \n[x] NOTICE: [1]\n[x] NOTICE: \tphp_value[a.b] = \n[x] NOTICE:"
                ." \taccess.suppress_path[] = /a\n[x] NOTICE: \taccess.suppress_path[] = /b\n[x] NOTICE:"
                ." [global]\n[x] NOTICE: configuration file /a b test is successful\n",
            self::COMMAND,
        );

        self::assertSame(
            ['1', 'global'],
            array_values(array_map(static fn ($pool): string => $pool->name, $config->pools)),
        );
        self::assertSame(
            ['', '/a /b'],
            [$config->pool('1')?->ini('a.b')?->value, $config->pool('1')?->text('access.suppress_path[]')],
        );
    }

    private static function lines(string $lines): FpmConfig
    {
        return FpmDump::parse(
            "[x] NOTICE: [global]\n[x] NOTICE:  \n[x] NOTICE: [www]\n{$lines}\n[x] NOTICE: configuration file /a test"
                ." is successful\n",
            self::COMMAND,
        );
    }

    private static function place(FpmParseIssue $misread): string
    {
        return "{$misread->file}:{$misread->line} {$misread->token}";
    }

    private static function printed(string $name): string
    {
        return (string) file_get_contents(__DIR__."/fixtures/{$name}");
    }
}
