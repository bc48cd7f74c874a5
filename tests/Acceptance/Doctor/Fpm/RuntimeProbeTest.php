<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Runtime\PoolRuntime;
use Headroom\Doctor\Fpm\Runtime\RuntimeProbe;
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

final class RuntimeProbeTest extends PoolsTestCase
{
    #[Test]
    public function a_pool_tells_its_own_settings_and_not_those_of_the_command_line(): void
    {
        $pools = $this->start(['www' => [
            'php_admin_value[memory_limit]' => '77M',
            'php_admin_value[realpath_cache_ttl]' => 33,
        ]]);
        $runtime = (new RuntimeProbe)->ask($pools->at('www'));

        self::assertSame(['fpm-fcgi', PHP_VERSION, '77M', '33', null], [
            $runtime->sapi, $runtime->phpVersion, $runtime->ini('memory_limit')?->value,
            $runtime->ini('realpath_cache_ttl')?->value, $runtime->ini('no.such.setting'),
        ]);
        self::assertNotSame('77M', ini_get('memory_limit'));
        self::assertNotSame(getmypid(), $runtime->pid);
        self::assertSame([true, false], [$runtime->hasExtension('Standard'), $runtime->hasExtension('nonsense')]);
        self::assertSame("the pool at {$pools->at('www')->text()}", $runtime->source);
    }

    #[Test]
    public function opcache_is_that_of_the_pool_and_the_probe_does_not_stay_in_it(): void
    {
        $pools = $this->start(['www' => []]);
        $script = $pools->write('page.php', '<?php echo "page";');
        // Older than opcache.file_update_protection, so that it is cached.
        touch($script, time() - 60);
        self::assertSame('page', (new FastCgiClient)->get($pools->at('www'), $script)->body);
        (new FastCgiClient)->get($pools->at('www'), $script);
        $probe = new RuntimeProbe;
        $first = $probe->ask($pools->at('www'))->opcache;
        $second = $probe->ask($pools->at('www'))->opcache;

        self::assertNotNull($first);
        self::assertNotNull($second);
        self::assertSame(
            [1, 1, false, 0, 0],
            [
                $first->cachedScripts,
                $second->cachedScripts,
                $second->isCacheFull,
                $second->oomRestarts,
                $second->wastedBytes,
            ],
        );
        self::assertGreaterThanOrEqual(1, $second->hits);
        self::assertGreaterThan(0, $second->maxCachedKeys);
        self::assertGreaterThan(0, $second->freeBytes);
        self::assertGreaterThan(0, $second->hitRatePercent);
    }

    #[Test]
    public function a_probe_leaves_no_file_behind_whether_it_ran_or_not(): void
    {
        $before = self::leftovers();
        $pools = $this->start(['www' => [], 'ext' => ['security.limit_extensions' => '.html']]);
        (new RuntimeProbe)->ask($pools->at('www'));
        self::refused($pools, 'ext');

        // Other tests leave and take away their own.
        Eventually::true(static fn (): bool => array_diff(self::leftovers(), $before) === []);
    }

    #[Test]
    public function opcache_off_in_one_pool_is_off_though_its_memory_is_there(): void
    {
        $pools = $this->start(['off' => ['php_admin_value[opcache.enable]' => 0], 'on' => []]);
        $off = (new RuntimeProbe)->ask($pools->at('off'));
        $on = (new RuntimeProbe)->ask($pools->at('on'));

        self::assertSame(
            [false, true, '0', '1'],
            [
                $off->opcache?->isEnabled,
                $on->opcache?->isEnabled,
                $off->ini('opcache.enable')?->value,
                $on->ini('opcache.enable')?->value,
            ],
        );
    }

    #[Test]
    public function opcache_off_in_all_of_fpm_is_told_as_such(): void
    {
        $pools = Pools::start(['www' => []], flags: ['-d', 'opcache.enable=0']);
        $this->pools = $pools;
        $runtime = (new RuntimeProbe)->ask($pools->at('www'));

        self::assertNull($runtime->opcache);
        self::assertStringContainsString('opcache.enable=0', (string) $runtime->opcacheUnknown);
    }

    /** @return iterable<string, array{array<string, string|int>, string}> */
    public static function withoutOpcache(): iterable
    {
        yield 'restricted' => [
            ['php_admin_value[opcache.restrict_api]' => '/srv'],
            'Zend OPcache API is restricted by "restrict_api" configuration directive',
        ];
        yield 'disabled' => [
            [
                'php_admin_value[disable_functions]' =>
                    'opcache_get_status,opcache_get_configuration,getmypid,ini_get,realpath_cache_size',
            ],
            'opcache_get_status()',
        ];
    }

    /** @param array<string, string|int> $settings */
    #[Test]
    #[DataProvider('withoutOpcache')]
    public function a_pool_whose_opcache_does_not_tell_says_why(array $settings, string $why): void
    {
        $runtime = (new RuntimeProbe)->ask($this->start(['www' => $settings])->at('www'));

        self::assertSame([null, 'fpm-fcgi'], [$runtime->opcache, $runtime->sapi]);
        self::assertStringContainsString($why, (string) $runtime->opcacheUnknown);
    }

    /** @return iterable<string, array{array<string, string|int>, string}> */
    public static function closedPools(): iterable
    {
        yield 'open_basedir' => [['php_admin_value[open_basedir]' => '/srv'], 'open_basedir restriction in effect'];
        yield 'limit_extensions' => [['security.limit_extensions' => '.html'], 'security.limit_extensions'];
        yield 'chroot' => [['chroot' => '%dir%'], 'Primary script unknown'];
        yield 'a script before ours that ends it' => [['php_value[auto_prepend_file]' => '%dir%/exit.php'], '503'];
    }

    /** @param array<string, string|int> $settings */
    #[Test, Group('day-1')]
    #[DataProvider('closedPools')]
    public function a_pool_that_cannot_run_the_probe_is_unknown_with_a_command(array $settings, string $why): void
    {
        if (isset($settings['chroot']) && posix_geteuid() !== 0) {
            self::markTestSkipped('Only root may chroot.');
        }

        $pools = Pools::start(['www' => $settings]);
        $this->pools = $pools;
        $pools->write('exit.php', '<?php http_response_code(503); exit("no");');
        $failure = self::refused($pools, 'www');

        self::assertStringContainsString($why, $failure->getMessage());
        self::assertStringContainsString('headroom doctor --only=O1', $failure->command);
    }

    #[Test]
    public function output_of_a_prepended_script_does_not_disturb(): void
    {
        $pools = $this->start(['www' => [
            'php_value[auto_prepend_file]' => '%dir%/loud.php',
            'php_value[auto_append_file]' => '%dir%/loud.php',
        ]]);
        $pools->write('loud.php', '<?php echo "{\"version\":\"none\"}";');

        self::assertSame(PHP_VERSION, (new RuntimeProbe)->ask($pools->at('www'))->phpVersion);
    }

    #[Test]
    public function garbage_is_named_and_so_is_an_answer_cut_anywhere(): void
    {
        $json = '{"version":"8.2.1","sapi":"fpm-fcgi","opcache":{"opcache_enabled":true,'
            .'"memory_usage":{"free_memory":7}},"extensions":["Zend OPcache"]}';
        self::assertSame(7, PoolRuntime::fromProbe($json, Address::parse('9000'))->opcache?->freeBytes);

        for ($cut = 0, $length = strlen($json); $cut < $length; $cut++) {
            try {
                PoolRuntime::fromProbe(substr($json, 0, $cut), Address::parse('9000'));
                self::fail("Cut at {$cut} it is nothing.");
            } catch (FactUnavailable $e) {
                self::assertEquals(UnreadableRuntime::garbage(Address::parse('9000'), substr($json, 0, $cut)), $e);
            }
        }
    }

    /** @param array<string, array<string, string|int>> $pools */
    private function start(array $pools): Pools
    {
        return $this->pools = Pools::start($pools);
    }

    private static function refused(Pools $pools, string $pool): FactUnavailable
    {
        try {
            (new RuntimeProbe)->ask($pools->at($pool));
        } catch (FactUnavailable $e) {
            return $e;
        }

        self::fail('It ran.');
    }

    /** @return list<string> */
    private static function leftovers(): array
    {
        $found = glob(sys_get_temp_dir().'/headroom-probe-*');

        return $found === false ? [] : $found;
    }
}
