<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\FpmConfig;
use Headroom\Doctor\Fpm\Config\FpmConfigFiles;
use Headroom\Doctor\Fpm\Config\FpmDump;
use Headroom\Doctor\Fpm\Config\FpmParseIssue;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

final class FpmConfigFilesTest extends DirectoryTestCase
{
    #[Test]
    public function each_value_has_the_line_that_says_it(): void
    {
        $config = $this->config(
            "; comment\n[global]\nprocess.max = 9\n\n[www]\r\npm = static\r\n  pm.max_children\t=\t7  ;"
                ." seven\nphp_admin_flag[log_errors] = off",
        );
        $path = $this->directory->file('fpm.conf');

        self::assertSame([], $config->misreads);
        self::assertSame(
            [9, "{$path}:3"],
            [$config->global->integer('process.max'), $config->global->setting('process.max')?->origin],
        );
        self::assertSame(['static', 7, "{$path}:7", '0', "{$path}:8"], [
            $config->pool('www')?->text('pm'), $config->pool('www')?->integer('pm.max_children'),
            $config->pool('www')?->setting('pm.max_children')?->origin,
            $config->pool('www')?->ini('log_errors')?->value, $config->pool('www')?->ini('log_errors')?->origin,
        ]);
    }

    /** @return iterable<string, array{string, string}> what is written and what FPM makes of it */
    public static function values(): iterable
    {
        yield 'plain' => ['/run/php.sock', '/run/php.sock'];
        yield 'the name of the pool' => ['/run/$pool-$pool.sock', '/run/www-www.sock'];
        yield 'double quotes' => ['"a ; b"', 'a ; b'];
        yield 'single quotes' => ["'a ; \"b\"'", 'a ; "b"'];
        yield 'escaped quotes' => ['"%m \"%r\""', '%m "%r"'];
        yield 'joined' => ['/run/"a b"/c', '/run/a b/c'];
        yield 'a comment' => ['static ; not dynamic', 'static'];
        yield 'a comment that touches' => ['static;not', 'static'];
        yield 'an equals sign in quotes' => ['"a=b=c"', 'a=b=c'];
        yield 'an operator' => ['E_ALL & ~E_NOTICE', (string) (E_ALL & ~E_NOTICE)];
        yield 'a brace' => ['{x', '{x'];
        yield 'a number sign' => ['#1 # not', '#1 # not'];
        yield 'a dollar' => ['$HOSTNAME', '$HOSTNAME'];
        yield 'yes' => ['Yes', '1'];
        yield 'off' => ['OFF', ''];
        yield 'a quoted word' => ['"on"', 'on'];
        yield 'a word that begins so' => ['once', 'once'];
        yield 'nothing' => ['', ''];
        yield 'a constant' => ['E_ALL', (string) E_ALL];
        yield 'a name like a constant' => ['E_NONSENSE', 'E_NONSENSE'];
    }

    #[Test]
    #[DataProvider('values')]
    public function a_value_is_read_as_php_reads_it(string $written, string $value): void
    {
        $config = $this->config("[www]\nenv[A] = {$written}\n");

        self::assertSame([[], $value], [$config->misreads, $config->pool('www')?->setting('env[A]')?->value]);
    }

    /** @return iterable<string, array{string}> */
    public static function misreads(): iterable
    {
        yield 'a number sign' => ['# comment'];
        yield 'a word' => ['pm'];
        yield 'the environment' => ['user = ${USER}'];
        yield 'the environment in quotes' => ['user = "x${USER}"'];
        yield 'an open quote' => ['user = "www'];
        yield 'an open single quote' => ["user = 'www"];
        yield 'a second equals sign' => ['user = a=b'];
        yield 'a word that is a truth, and more' => ['user = none of us'];
        yield 'half a section' => ['[api'];
        yield 'a section after a blank' => [' [api]'];
        yield 'a section and more' => ['[api] pm = static'];
        yield 'an empty section' => ['[]'];
        yield 'bytes' => ["\0\1\xff"];
    }

    #[Test]
    #[DataProvider('misreads')]
    public function a_line_that_is_not_understood_is_named_and_the_rest_is_read(string $line): void
    {
        $config = $this->config("[www]\npm = static\n{$line}\npm.max_children = 3\n");

        self::assertCount(1, $config->misreads);
        self::assertSame(
            [$this->directory->file('fpm.conf'), 3],
            [$config->misreads[0]->file, $config->misreads[0]->line],
        );
        self::assertStringStartsWith("{$this->directory->file('fpm.conf')}:3: ", $config->misreads[0]->text());
        self::assertSame(trim($line, ' '), $config->misreads[0]->token);
        self::assertSame(
            ['static', 3],
            [$config->pool('www')?->text('pm'), $config->pool('www')?->integer('pm.max_children')],
        );
    }

    #[Test]
    #[Group('snapshot')]
    public function each_kind_of_line_that_is_not_understood_has_its_words(): void
    {
        $words = '';

        foreach (self::misreads() as $name => [$line]) {
            $words .= "{$name}: ".$this->config("[www]\n{$line}\n")->misreads[0]->reason."\n";
        }

        Snapshot::assertPrinted('doctor php-fpm', 'lines of a configuration that are not understood', $words);
    }

    #[Test]
    public function includes_are_read_in_order_and_the_section_goes_on_where_they_ended(): void
    {
        mkdir($this->directory->file('pool.d'));
        $this->directory->write('pool.d/b.conf', "[b]\npm = static\n");
        $this->directory->write('pool.d/a.conf', "[a]\npm = dynamic\n");
        $config = $this->config(
            "[global]\ninclude={$this->directory->path}/pool.d/*.conf\npm.max_children = 4\n[A]\npm.max_requests ="
                ." 1\n[GLOBAL]\nprocess.max = 2",
        );

        self::assertSame([[], ['a', 'b']], [$config->misreads, array_keys($config->pools)]);
        self::assertSame([4, null, 1, 2], [
            $config->pool('b')?->integer('pm.max_children'), $config->pool('a')?->integer('pm.max_children'),
            $config->pool('a')?->integer('pm.max_requests'),
            $config->global->integer('process.max'),
        ]);
    }

    #[Test]
    public function includes_that_lead_nowhere_are_named(): void
    {
        $config = $this->config(
            "include = /nowhere/*.conf\ninclude = pool.d/*.conf\ninclude ="
                ." {$this->directory->file('fpm.conf')}\n[www]\npm = static",
        );

        $file = $this->directory->file('fpm.conf');
        self::assertContains("{$file}:1 /nowhere/*.conf", self::places($config));
        self::assertContains("{$file}:2 pool.d/*.conf", self::places($config));
        self::assertContains("{$file}:3 {$file}", self::places($config));
        self::assertSame('static', $config->pool('www')?->text('pm'));
    }

    #[Test]
    public function five_files_may_include_each_other_and_not_six(): void
    {
        for ($i = 1; $i <= 6; $i++) {
            $this->directory->write(
                "{$i}.conf",
                "[pool{$i}]\npm = static\ninclude = {$this->directory->path}/".($i + 1).".conf\n",
            );
        }

        $config = FpmConfigFiles::read($this->directory->file('1.conf'));

        self::assertSame(['pool1', 'pool2', 'pool3', 'pool4', 'pool5'], array_keys($config->pools));
        self::assertSame(
            ["{$this->directory->file('5.conf')}:3 {$this->directory->file('6.conf')}"],
            self::places($config),
        );
        self::assertStringContainsString(' 5 ', $config->misreads[0]->reason);
    }

    #[Test]
    public function a_prefix_finds_relative_includes(): void
    {
        $this->directory->write('more.conf', "[www]\npm = static");
        $this->directory->write('fpm.conf', 'include = more.conf');

        self::assertSame(
            'static',
            FpmConfigFiles::read($this->directory->file('fpm.conf'), prefix: $this->directory->path)
                ->pool('www')
                ?->text('pm'),
        );
    }

    /** @return iterable<string, array{string, string}> a value of listen, and where it is */
    public static function listens(): iterable
    {
        yield 'a path' => ['/run/a.sock', '/run/a.sock'];
        yield 'below the prefix' => ['php-fpm.sock', '/srv/system/shop.example/php-fpm.sock'];
        yield 'a folder below it' => ['run/$pool.sock', '/srv/system/shop.example/run/shop.example.sock'];
        yield 'a port' => ['9000', '9000'];
        yield 'an address' => ['127.0.0.1:9000', '127.0.0.1:9000'];
        yield 'of IPv6' => ['[::1]:9000', '[::1]:9000'];
    }

    /** As Plesk writes them. */
    #[Test]
    #[DataProvider('listens')]
    public function a_socket_is_relative_to_the_prefix_of_its_pool(string $written, string $listen): void
    {
        $config = $this->config(
            "[shop.example]\nlisten = {$written}\nprefix = /srv/system/\$pool\nslowlog = logs/slow.log\n",
        );

        self::assertSame($listen, $config->pool('shop.example')?->text('listen'));
        self::assertSame('/srv/system/shop.example/logs/slow.log', $config->pool('shop.example')->text('slowlog'));
        $other = FpmConfigFiles::read(
            $this->directory->write('other.conf', "error_log = log/a.log\n[www]\nlisten = a.sock"),
            prefix: '/opt/php',
        );
        self::assertSame(
            ['/opt/php/a.sock', '/opt/php/log/a.log'],
            [$other->pool('www')?->text('listen'), $other->global->text('error_log')],
        );
    }

    #[Test]
    public function a_line_that_a_later_one_replaces_is_kept_in_mind(): void
    {
        $this->directory->write('a.conf', "[www]\npm.max_children = 200\npm = dynamic\nenv[A] = 1\n");
        $this->directory->write(
            'b.conf',
            "[WWW]\npm.max_children = 5\npm = dynamic\naccess.suppress_path[] = /a\naccess.suppress_path[] = /b\n",
        );
        $pool = $this->config("include = {$this->directory->path}/[ab].conf")->pool('www');

        self::assertSame('5', $pool?->text('pm.max_children'));
        self::assertSame(
            [['pm.max_children', '200', "{$this->directory->file('a.conf')}:2"]],
            array_map(
                static fn (PhpSetting $setting): array => [$setting->name, $setting->value, $setting->origin],
                $pool->overridden,
            ),
        );
    }

    #[Test]
    public function the_last_of_two_lines_counts_and_two_ini_values_are_named(): void
    {
        $config = $this->config(
            "[www]\npm.max_children = 3\npm.max_children = 4\nphp_value[memory_limit] = 1M\nphp_value[memory_limit] ="
                ." 2M\nenv[A] = 1\nenv[A] = 1",
        );

        self::assertSame(4, $config->pool('www')?->integer('pm.max_children'));
        self::assertSame(["{$this->directory->file('fpm.conf')}:5 php_value[memory_limit]"], self::places($config));
        self::assertStringContainsString("{$this->directory->file('fpm.conf')}:4", $config->misreads[0]->reason);
    }

    #[Test]
    public function a_file_that_cannot_be_read_is_a_failure_with_the_kernels_reason(): void
    {
        $reasons = [];

        foreach ([$this->directory->file('none.conf'), $this->directory->path] as $path) {
            try {
                FpmConfigFiles::read($path);
            } catch (FactUnavailable $e) {
                $reasons[] = $e->getMessage();
                self::assertSame('sudo cat '.escapeshellarg($path), $e->command);
            }
        }

        $none = $this->directory->file('none.conf');

        self::assertCount(2, $reasons);
        self::assertSame(UnreadableConfig::file($none, 'No such file or directory')->getMessage(), $reasons[0]);
        self::assertStringContainsString($this->directory->path, $reasons[1]);
    }

    #[Test]
    public function effective_values_take_the_lines_of_the_files(): void
    {
        $dump = FpmDump::parse(
            "[x] NOTICE: [global]\n[x] NOTICE: \tprocess.max = 0\n[x] NOTICE: [www]\n[x] NOTICE:"
                ." \tpm = static\n[x] NOTICE: \trequest_terminate_timeout = 60s\n[x] NOTICE: configuration file /a test"
                ." is successful\n",
            'php-fpm -tt',
        );
        $located = $dump->locatedBy($this->config("[www]\nrequest_terminate_timeout = 1m\n# what"));

        self::assertSame([60, "{$this->directory->file('fpm.conf')}:2", 'php-fpm -tt', 'php-fpm -tt', [], true], [
            $located->pool('www')?->seconds('request_terminate_timeout'),
            $located->pool('www')?->setting('request_terminate_timeout')?->origin,
            $located->pool('www')?->setting('pm')?->origin, $located->global->setting('process.max')?->origin,
            $located->misreads, $located->isEffective,
        ]);
    }

    /** @return iterable<string, array{string, ?int, ?int, ?int}> written, integer, seconds, bytes */
    public static function units(): iterable
    {
        yield '10' => ['10', 10, 10, 10];
        yield 'below nothing' => ['-1', -1, -1, -1];
        yield '10s' => ['10s', null, 10, 10];
        yield '2m is two minutes or two mebibytes' => ['2m', null, 120, 2_097_152];
        yield '1h' => ['1h', null, 3_600, 1];
        yield '1d' => ['1d', null, 86_400, 1];
        yield '128M' => ['128M', null, null, 134_217_728];
        yield '1G' => ['1G', null, null, 1_073_741_824];
        yield 'a fraction is cut off' => ['1.5G', null, null, 1_073_741_824];
        yield 'a blank before the unit' => ['128 M', null, null, 134_217_728];
        yield 'hexadecimal' => ['0x10M', null, null, 16_777_216];
        yield 'MB is no unit of PHP' => ['128MB', null, null, 128];
        yield '1,5m' => ['1,5m', null, 60, 1_048_576];
        yield 'a word that ends in a unit' => ['undefined', null, 0, null];
        yield 'nothing' => ['', null, null, null];
        yield 'more than an int holds' => ['99999999999999999999', null, -1, -1];
        yield 'milliseconds are none' => ['500ms', null, 500, 500];
    }

    #[Test]
    #[DataProvider('units')]
    public function numbers_are_read_with_fpms_and_inis_units(
        string $written,
        ?int $integer,
        ?int $seconds,
        ?int $bytes,
    ): void {
        $setting = new PhpSetting('a', $written, 'b');

        self::assertSame([$integer, $seconds, $bytes], [$setting->integer(), $setting->seconds(), $setting->bytes()]);
    }

    #[Test]
    public function any_bytes_are_read_to_the_end(): void
    {
        mt_srand(11);

        for ($round = 0; $round < 300; $round++) {
            $text = '';

            for ($i = 0; $i < 60; $i++) {
                $text .= [
                    "\n", '[', ']', '=', '"', "'", ';', '$', '{', '}', 'pm', ' ', '\\', chr(mt_rand(0, 255)),
                ][mt_rand(0, 13)];
            }

            $config = $this->config("{$text}\n[last]\npm = static");

            self::assertSame('static', $config->pool('last')?->text('pm'));
        }
    }

    private function config(string $text): FpmConfig
    {
        return FpmConfigFiles::read($this->directory->write('fpm.conf', $text));
    }

    /** @return list<string> file:line and token */
    private static function places(FpmConfig $config): array
    {
        return array_map(
            static fn (FpmParseIssue $misread): string => "{$misread->file}:{$misread->line} {$misread->token}",
            $config->misreads,
        );
    }
}
