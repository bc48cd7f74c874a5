<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\FpmConfig;
use Headroom\Doctor\Fpm\Config\FpmConfigFiles;
use Headroom\Doctor\Fpm\Config\FpmConfigProbe;
use Headroom\Doctor\Fpm\Config\FpmParseIssue;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Kernel\ExternalProgram;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ConfigProbeTest extends TestCase
{
    private const ROUNDS = 60;

    private ?Pools $pools = null;

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->directory = TemporaryDirectory::create('conf');
    }

    protected function tearDown(): void
    {
        $this->pools?->stop();
        $this->directory->remove();
    }

    #[Test]
    public function a_running_fpm_tells_its_effective_values_and_the_files_their_lines(): void
    {
        $config = (new FpmConfigProbe)->of($this->master(['www' => ['request_terminate_timeout' => '1m']]), $why);
        $www = $config->pool('www');

        self::assertSame(
            [null, true, [], 60, 511],
            [
                $why,
                $config->isEffective,
                $config->misreads,
                $www?->seconds('request_terminate_timeout'),
                $www?->integer('listen.backlog') === -1 ? 511 : $www?->integer('listen.backlog'),
            ],
        );
        self::assertStringEndsWith('fpm.conf:4', (string) $www?->setting('request_terminate_timeout')?->origin);
        self::assertStringContainsString(' -tt -y ', (string) $www?->setting('request_slowlog_timeout')?->origin);
    }

    #[Test]
    public function a_value_that_fpm_derives_is_read_and_its_remark_is_no_misread(): void
    {
        $config = (new FpmConfigProbe)->of(
            $this->master(['www' => [
                'pm' => 'dynamic',
                'pm.max_children' => 9,
                'pm.min_spare_servers' => 2,
                'pm.max_spare_servers' => 6,
            ]]),
            $why,
        );

        self::assertSame([null, [], 4], [$why, $config->misreads, $config->pool('www')?->integer('pm.start_servers')]);
    }

    #[Test]
    public function where_fpm_keeps_silent_the_files_are_read_and_the_reason_is_kept(): void
    {
        $config = (new FpmConfigProbe)->of(
            $this->master(['www' => ['pm.max_requests' => 77]], ['log_level' => 'error']),
            $why,
        );

        self::assertSame(
            [false, 77, null],
            [
                $config->isEffective,
                $config->pool('www')?->integer('pm.max_requests'),
                $config->pool('www')?->setting('pm.max_spawn_rate'),
            ],
        );
        self::assertStringContainsString('log_level', (string) $why);
    }

    #[Test]
    public function a_configuration_that_fpm_refuses_is_refused_with_its_words(): void
    {
        $file = $this->directory->write(
            'fpm.conf',
            "[global]\nerror_log = {$this->directory->file('log')}\n[www]\nnonsense = 1\n",
        );

        $this->expectException(FactUnavailable::class);
        // EX_CONFIG of sysexits.h.
        $this->expectExceptionMessageMatches("/\b78: .*unknown entry 'nonsense'/s");

        (new FpmConfigProbe)->dump(Programs::fpm(), $file);
    }

    #[Test]
    public function a_program_that_does_not_end_is_not_waited_for(): void
    {
        $program = $this->directory->write('php-fpm', "#!/bin/sh\nexec sleep 60\n");
        chmod($program, 0o755);

        $this->expectExceptionObject(UnreadableKernel::tookTooLong("'{$program}' -tt -y '/etc/php-fpm.conf'", 1));

        (new FpmConfigProbe(new ExternalProgram(1)))->dump($program, '/etc/php-fpm.conf');
    }

    /** @return list<string> as configurations have them, and as they should not */
    private static function times(): array
    {
        $times = [
            '500ms', '0.5', '2 s', '"2 s"', '1m', '1M', '2S', '5x', '5ss', '-5', '-1s', '"7s "', 's', '""', '1.5m',
            '0.5s',
            '1m30s', '99999999999', '3000000000', '4294967301', '99999999999999999999', '36000000d', '10sec', '10min',
            '0x10', '010', '1e3', '"5"m', 'on', 'off', 'null', '5*2', '5|2', '~5', '(5)', '1,5', '+5s', "5\ts",
            '1_000',
            '60 seconds', '5 m ; five',
        ];

        for ($i = 0; $i < 20; $i++) {
            $unit = self::oneOf(['', 's', 'm', 'h', 'd', 'ms', 'S', 'w']);
            $times[] = mt_rand(-3, 5_000).self::oneOf(['', ' ', '.', 'm', '.5', 'e2', ' 3']).$unit;
        }

        return $times;
    }

    /** @return list<?int> */
    private static function secondsOf(FpmConfig $config): array
    {
        return [
            $config->global->seconds('process_control_timeout'),
            $config->global->seconds('emergency_restart_interval'),
            $config->pool('www')?->seconds('request_slowlog_timeout'),
        ];
    }

    #[Test]
    public function times_are_read_as_fpm_reads_them(): void
    {
        mt_srand(31);
        $seen = ['read' => 0, 'refused' => 0];

        foreach (self::times() as $time) {
            $file = $this->directory->write('fpm.conf', <<<CONF
                [global]
                error_log = {$this->directory->file('log')}
                process_control_timeout = {$time}
                emergency_restart_interval = {$time}
                [www]
                user = root
                listen = {$this->directory->path}/a.sock
                pm = static
                pm.max_children = 1
                request_slowlog_timeout = {$time}
                slowlog = {$this->directory->file('slow')}
                CONF);
            $ours = self::secondsOf(FpmConfigFiles::read($file));

            try {
                $effective = (new FpmConfigProbe)->dump(Programs::fpm(), $file);
            } catch (FactUnavailable $e) {
                self::assertMatchesRegularExpression(
                    '/unknown suffix used|invalid time value/',
                    $e->getMessage(),
                    $time,
                );
                self::assertSame([null, null, null], $ours, $time);
                $seen['refused']++;

                continue;
            }

            $seen['read']++;
            self::assertSame(self::secondsOf($effective), $ours, $time);
        }

        self::assertGreaterThan(30, $seen['read']);
        self::assertGreaterThan(9, $seen['refused']);
    }

    /**
     * The file reader reads all that FPM accepts, or reports it, and reports all that FPM cannot read.
     */
    #[Test, Group('day-2')]
    public function files_are_read_as_fpm_reads_them(): void
    {
        $rounds = Sample::number(12, self::ROUNDS);
        mt_srand(4711);
        $accepted = 0;
        $understood = 0;

        for ($round = 0; $round < $rounds; $round++) {
            $text = $this->generated();
            $written = FpmConfigFiles::read($this->directory->write('fpm.conf', $text));

            try {
                $effective = (new FpmConfigProbe)->dump(Programs::fpm(), $this->directory->file('fpm.conf'));
            } catch (FactUnavailable $e) {
                // An env[] without a value can be read, but not be had.
                self::assertTrue(
                    $written->misreads !== [] || str_contains($e->getMessage(), 'empty value'),
                    "{$e->getMessage()}\n{$text}",
                );

                continue;
            }

            $accepted++;
            $understood += $written->misreads === [] ? 1 : 0;
            self::assertAlike($effective, $written, $text);
        }

        // Both sides of the comparison must have had something to compare.
        self::assertGreaterThan($rounds / 4, $accepted);
        self::assertGreaterThan($rounds / 8, $understood);
        self::assertLessThan($rounds, $accepted);
    }

    private static function assertAlike(FpmConfig $effective, FpmConfig $written, string $text): void
    {
        $twice = array_column($effective->misreads, 'token');
        self::assertLessThanOrEqual(1, count(array_unique(array_column($effective->misreads, 'reason'))), $text);
        self::assertSame([], array_diff($twice, array_column($written->misreads, 'token')), $text);
        $lines = implode(
            "\n",
            array_map(static fn (FpmParseIssue $misread): string => $misread->text(), $written->misreads),
        );
        self::assertCount(count($effective->pools), $written->pools, "{$lines}\n{$text}");

        foreach ([$written->global, ...array_values($written->pools)] as $pool) {
            $same = $pool->name === 'global' ? $effective->global : $effective->pool($pool->name);
            self::assertNotNull($same, $text);
            self::assertSamePool($same, $pool, $twice, $text);
        }
    }

    /** @param list<string> $twice names with two values, which both have named */
    private static function assertSamePool(
        PoolSettings $effective,
        PoolSettings $written,
        array $twice,
        string $text,
    ): void {
        foreach (array_filter(
            $written->settings,
            static fn (PhpSetting $setting): bool => ! in_array($setting->name, $twice, true),
        ) as $setting) {
            $theirs = $effective->setting($setting->name);
            self::assertNotNull($theirs, "{$setting->name}\n{$text}");
            self::assertSame(
                self::plain($theirs),
                self::plain($setting),
                "{$setting->origin} {$setting->name}\n{$text}",
            );
        }
    }

    /** FPM prints times in seconds and truths as words; text stays text. */
    private static function plain(PhpSetting $setting): string
    {
        return match (true) {
            str_contains($setting->name, 'timeout') => $setting->seconds().' s',
            in_array(
                $setting->name,
                ['catch_workers_output', 'clear_env', 'process.dumpable'],
                true,
            ) => $setting->truth() === true ? 'yes' : 'no',
            default => $setting->value,
        };
    }

    private function generated(): string
    {
        $text = "[global]\nerror_log = {$this->directory->file('log')}\n"
            .(mt_rand(0, 1) === 0 ? 'process.max = '.mt_rand(1, 99)." ; c\n" : '');

        foreach (array_slice(['www', 'api', 'a-b_c.d'], 0, mt_rand(1, 3)) as $pool) {
            $text .= self::oneOf(["[{$pool}]", " [{$pool}] ; pool", "[{$pool}]\r"])."\n";
            $text .= "user = root\nlisten = {$this->directory->path}/\$pool.sock\npm = "
                .self::oneOf(['static', '"static"', 'ondemand', "'ondemand' ; x"])."\npm.max_children = ".mt_rand(1, 9)
                ."\n";

            for ($i = mt_rand(0, 8); $i > 0; $i--) {
                $text .= self::line()."\n";
            }
        }

        return $text;
    }

    private static function line(): string
    {
        $blank = self::oneOf(['', ' ', "\t"]);
        $value = self::oneOf([
            'plain', 'a b', '"a ; b"', "'a \"b\"'", '"a \\"b\\""', 'a=b=c', '$pool/x', '"$pool"', '#x', 'x#y ; z',
            'E_ALL', 'on', 'no', '1', '128M', '/a/"b c"/d', 'once',
            'none of it', 'yes sir', '$x', 'x$y', '"a\\\\b"', "'a\\b'", 'a\\b', '"tab\\t"', '-5', '1.5', '.php .phar',
            '%{milliseconds}d', 'a,b:c@d', 'null', 'true', 'PHP_VERSION',
            '"on"', "'yes' ; x", 'é', '"a" "b"', 'a "b" c',
        ]);

        return $blank.self::oneOf([
            "php_value[a.b]{$blank}={$blank}{$value}", "php_admin_value[c.d] = {$value}{$blank}", "env[X]={$value}",
            'php_flag[e.f] = '.self::oneOf(['on', 'off', '1', 'yes', '""', 'no']),
            'request_terminate_timeout = '.self::oneOf(['0', '10', '10s', '2m', '1h', '1d']),
            "slowlog = /tmp/\$pool.slow{$blank}; why",
            'catch_workers_output = '.self::oneOf(['yes', 'no', 'on', 'off']),
            'pm.max_requests = '.mt_rand(0, 1_000), '; comment = x', '', ';', "ping.path = '/ping'", 'clear_env = no',
            'listen.backlog = '.mt_rand(-1, 2_000),
            self::oneOf([
                ';', ';', ';', '# hash', 'word', '[half', 'x = "open', 'env[Y] = ${HOME}', 'php_value[g.h] = 1 | 2',
                'nonsense {', 'env[Z = 1',
            ]),
        ]);
    }

    /** @param non-empty-list<string> $choices */
    private static function oneOf(array $choices): string
    {
        return $choices[mt_rand(0, count($choices) - 1)];
    }

    /**
     * @param array<string, array<string, string|int>> $pools
     * @param array<string, string|int> $global
     */
    private function master(array $pools, array $global = []): RunningMaster
    {
        $this->pools = Pools::start($pools, $global);

        foreach (RunningMaster::all() as $master) {
            if ($master->pid === $this->pools->pid()) {
                return $master;
            }
        }

        self::fail('It runs and was not found.');
    }
}
