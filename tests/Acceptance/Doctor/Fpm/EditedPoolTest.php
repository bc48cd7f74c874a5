<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Config\FpmConfigFiles;
use Headroom\Doctor\Fpm\Config\FpmConfigProbe;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * A fix changes the configuration of PHP-FPM, however that is laid out: php-fpm -tt prints it as it
 * is meant to be afterwards.
 */
#[Group('day-2')]
final class EditedPoolTest extends DirectoryTestCase
{
    private const NGINX =
        "http {\nserver {\nlocation / {\nfastcgi_read_timeout 40s;\nfastcgi_pass unix:/run/shop.sock;\n}\n}\n}";

    private WebServers $machine;

    protected function setUp(): void
    {
        Needs::webStack();
        parent::setUp();
        mkdir($this->directory->file('pool.d'));
        $this->machine = new WebServers;
    }

    /**
     * @return iterable<string, array{0: string, 1: list<string>, 2?: list<string>}> rule,
     *     lines of the pool and global ones
     */
    public static function faults(): iterable
    {
        yield 'on demand' => ['F4', ['pm = ondemand']];
        yield 'a short backlog' => ['F5', ['listen.backlog = 5']];
        yield 'no status page' => ['F7', []];
        yield 'a status page of the pool' => ['F7', ['pm.status_path = /status']];
        yield 'no slow log' => ['F8', []];
        yield 'a slow log that is cut' => [
            'F8',
            ['slowlog = {directory}/slow.log', 'request_slowlog_timeout = 5s', 'request_slowlog_trace_depth = 3'],
        ];
        yield 'requests that hang' => ['F9', ['request_terminate_timeout = 0']];
        yield 'requests that hang by default' => ['F9', []];
        yield 'processes that end soon' => ['F10', ['pm.max_requests = 10']];
        yield 'a reload that waits for nothing' => ['F11', []];
        yield 'a reload that is told not to wait' => ['F11', [], ['process_control_timeout = 0']];
        yield 'costs that are not logged' => [
            'F13',
            ['access.log = {directory}/access.log', 'access.format = "%R ; %t"'],
        ];
        yield 'costs that are not logged by default' => ['F13', ['access.log = {directory}/access.log']];
        yield 'the inner limit is longer' => ['N9', ['request_terminate_timeout = 90']];
        yield 'a preload that does nothing' => ['O13', ['php_admin_value[opcache.preload] = /srv/preload.php']];
    }

    /**
     * @param list<string> $pool
     * @param list<string> $global
     */
    #[Test]
    #[DataProvider('faults')]
    public function a_fix_takes_the_fault_away_in_each_layout(string $rule, array $pool, array $global = []): void
    {
        foreach ($this->layouts($pool, $global) as $layout => $files) {
            foreach ($files as $name => $text) {
                $this->directory->write($name, str_replace('{directory}', $this->directory->path, $text));
            }

            $faults = $this->faultsOf($rule);
            self::assertCount(1, $faults, $layout);
            $edits = $faults[0]->fix->edits ?? [];
            self::assertNotSame([], $edits, "{$layout}: {$faults[0]->fix?->text}");

            foreach (array_reverse($edits) as $edit) {
                file_put_contents($edit->file, $edit->appliedTo((string) file_get_contents($edit->file)));
            }

            $shown = implode(
                "\n\n",
                array_map(
                    fn (string $name): string => (string) file_get_contents($this->directory->file($name)),
                    array_keys($files),
                ),
            );
            self::assertSame([], $this->faultsOf($rule), "{$layout}:\n{$shown}");
            self::assertSame(
                [],
                array_filter($edits, static fn (Edit $edit): bool => str_contains((string) $edit->new, "\r")),
                $layout,
            );
        }
    }

    #[Test]
    public function a_value_of_the_environment_is_replaced_where_it_stands(): void
    {
        $this->directory->write(
            'fpm.conf',
            "[shop]\nlisten = /run/shop.sock\nuser = www-data\npm = static\npm.max_children = 4\npm.max_requests ="
                ." \${HEADROOM_TEST_FEW}\n",
        );
        $_ENV['HEADROOM_TEST_FEW'] = '10';

        try {
            $edits = $this->faultsOf('F10')[0]->fix->edits ?? [];
        } finally {
            unset($_ENV['HEADROOM_TEST_FEW']);
        }

        self::assertSame(
            [[6, 'pm.max_requests = ${HEADROOM_TEST_FEW}', 'pm.max_requests = 5000']],
            array_map(static fn (Edit $edit): array => [$edit->line, $edit->old, $edit->new], $edits),
        );
    }

    #[Test]
    public function a_file_that_has_changed_meanwhile_is_told_of_and_not_edited(): void
    {
        $pool = new PoolSettings(
            'shop',
            [
                'pm.max_requests' => new PhpSetting(
                    'pm.max_requests',
                    '10',
                    "{$this->directory->write('fpm.conf', "[shop]\npm = static\n")}:2",
                ),
            ],
        );

        self::assertEquals(
            new ManualChange(
                "Change pm.max_requests in {$this->directory->file('fpm.conf')}:2 to `pm.max_requests = 5000`.",
            ),
            PoolEdit::to($pool, 'pm.max_requests', '5000'),
        );
        self::assertEquals(
            new ManualChange('Add `pm = static` to the section [web] (fpm.conf:7).'),
            PoolEdit::to(new PoolSettings('web', [], 'fpm.conf:7'), 'pm', 'static'),
        );
    }

    /**
     * @param list<string> $pool
     * @param list<string> $global
     * @return iterable<string, array<string, string>> files by name
     */
    private function layouts(array $pool, array $global): iterable
    {
        $names = array_map(static fn (string $line): string => explode(' ', $line)[0], $pool);
        $all = array_filter(
            [
                'listen = /run/shop.sock',
                'user = www-data',
                'pm = static',
                'pm.max_children = 4',
                'pm.max_spare_servers = 2',
            ],
            static fn (string $line): bool => ! in_array(explode(' ', $line)[0], $names, true),
        );
        $lines = [...array_values($all), ...$pool];
        $plain = self::section('global', ['error_log = /dev/null', ...$global]).self::section('shop', $lines);
        $include = "include = {$this->directory->path}/pool.d/*.conf\n";

        yield 'a setting a line' => ['fpm.conf' => $plain];
        yield 'CRLF' => ['fpm.conf' => str_replace("\n", "\r\n", $plain)];
        yield 'no blanks' => ['fpm.conf' => str_replace(' = ', '=', $plain)];
        yield 'tabs' => [
            'fpm.conf' => str_replace(' = ', "\t=\t", (string) preg_replace('/^(?!\[)/m', "\t  ", $plain)),
        ];
        yield 'comments' => [
            'fpm.conf' => (string) preg_replace('/^(?!.*")(.+)$/m', "; before = 1\n\$1 ; it was [other] = 5", $plain),
        ];
        yield 'the pool first' => [
            'fpm.conf' => self::section('shop', $lines).self::section('global', ['error_log = /dev/null', ...$global]),
        ];
        yield 'an empty global section' => [
            'fpm.conf' => self::section('global', $global).self::section('shop', $lines),
        ];
        yield 'no global section' => ['fpm.conf' => implode("\n", $global)."\n".self::section('shop', $lines)];
        yield 'said twice' => [
            'fpm.conf' => $plain.self::section(
                'other',
                ['listen = /run/other.sock', ...array_slice($lines, 1)],
            ).self::section('SHOP', $pool),
        ];
        yield 'a file of its own' => [
            'fpm.conf' => "[global]\nerror_log = /dev/null\n".implode("\n", $global)."\n{$include}",
            'pool.d/shop.conf' => self::section('shop', $lines),
        ];
    }

    /** @param list<string> $lines */
    private static function section(string $name, array $lines): string
    {
        return "[{$name}]\n".implode('', array_map(static fn (string $line): string => "{$line}\n", $lines));
    }

    /** @return list<Finding> */
    private function faultsOf(string $rule): array
    {
        $file = $this->directory->file('fpm.conf');
        $config = (new FpmConfigProbe)->dump(Programs::fpm(), $file)->locatedBy(FpmConfigFiles::read($file));
        $one = $this->machine->fpm(['any' => []])->pools[0];
        $pools = array_values(array_filter(
            $config->pools,
            static fn (PoolSettings $pool): bool => $pool->name !== 'other',
        ));
        $fpm = new FpmPools(
            array_map(
                fn (PoolSettings $pool): FpmPool => new FpmPool(
                    $one->master,
                    $pool,
                    $config->global,
                    null,
                    probe: $this->machine->runtime([]),
                    sockets: new ListenSockets(null),
                ),
                $pools,
            ),
            [],
            [],
        );
        $nginx = $this->machine->nginx([10 => Configs::from(self::NGINX)]);

        return array_map(static fn (CheckResult $verdict): Finding => $verdict->finding, Examined::by($rule, [
            FpmPools::class => static fn (): FpmPools => $fpm,
            Sysctl::class => static fn (): Sysctl => new Sysctl,
            NginxServers::class => static fn (): NginxServers => $nginx,
        ])->problems());
    }
}
