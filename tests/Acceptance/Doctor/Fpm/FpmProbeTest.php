<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Fpm\Status\PoolStatus;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Status;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

final class FpmProbeTest extends PoolsTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        Needs::program('ss', 'iproute2');
    }

    #[Test]
    public function every_pool_is_asked_at_its_own_address(): void
    {
        $port = Ports::free();
        $facts = $this->facts([
            'www' => ['listen.backlog' => 77, 'php_admin_value[memory_limit]' => '33M'],
            'tcp' => ['listen' => $port, 'listen.backlog' => 88, 'php_admin_value[memory_limit]' => '44M'],
        ]);
        $said = [];

        foreach ($facts->pools as $pool) {
            $said[$pool->settings->name] = [
                $pool->status()->pool, $pool->runtime()->ini('memory_limit')?->value, $pool->queue()->limit,
                count($pool->memory()->measured),
                $pool->limits()->openFiles() > 0, $pool->whyNotEffective, $pool->global->text('daemonize'),
                $pool->group()->memoryBytes === 0,
            ];
        }

        ksort($said);
        self::assertSame(
            [
                'tcp' => ['tcp', '44M', 88, 1, true, null, 'yes', false],
                'www' => ['www', '33M', 77, 1, true, null, 'yes', false],
            ],
            $said,
        );
        self::assertSame([[], []], [$facts->unread, $facts->misreads]);
    }

    #[Test]
    #[Group('proof')]
    public function a_pool_that_forks_all_the_time_is_one_pool(): void
    {
        $this->pools = Pools::start(['www' => [
            'pm.max_requests' => 1,
            'listen.backlog' => 500,
            'pm.max_children' => 4,
        ]]);
        $this->pools->hold($this->pools->at('www'), 200);
        unlink($this->pools->directory->file('held'));
        $config = $this->pools->directory->file('fpm.conf');
        $masters = [];

        // Each of the requests has a worker of its own, which has the title of the master at first.
        for ($look = 0; $look < 150; $look++) {
            $masters[] = count(array_filter(
                RunningMaster::all(),
                static fn (RunningMaster $master): bool => $master->configFile === $config,
            ));
        }

        $this->pools->release();
        self::assertSame([1 => 150], array_count_values($masters));
    }

    #[Test]
    public function a_pool_without_a_status_path_is_unknown_with_a_fix(): void
    {
        $facts = $this->facts(['www' => ['pm.status_path' => '']]);
        $findings = $facts->each(static fn (FpmPool $pool): Finding => Finding::pass($pool->status()->pool));

        self::assertSame([Status::Unknown, 'pool www'], [$findings[0]->status, $findings[0]->subject]);
        self::assertStringContainsString('pm.status_path = /fpm-status', $findings[0]->message);
        self::assertSame([$facts->pools[0]->reload()], $findings[0]->fix?->commands);
        self::assertStringEndsWith("kill -USR2 {$this->pools?->pid()}", $facts->pools[0]->reload());
    }

    #[Test, Group('day-2')]
    public function a_full_pool_is_asked_once_and_a_page_of_its_own_answers(): void
    {
        $facts = $this->facts(['full' => [], 'own' => ['pm.status_listen' => '%dir%/status.sock']]);
        self::assertNotNull($this->pools);
        $this->pools->hold($this->pools->at('full'), 1);
        $this->pools->hold($this->pools->at('own'), 1);
        [$full, $own] = [self::pool($facts, 'full'), self::pool($facts, 'own')];
        // The held requests are taken before the page is asked for.
        Eventually::true(
            fn (): bool => self::pool($this->again(), 'full')->queue()->waiting === 0
                && self::pool($this->again(), 'own')->queue()->waiting === 0,
        );

        $first = self::unknown(static fn (): PoolStatus => $full->status());
        self::assertStringContainsString($this->pools->at('full')->text(), $first->getMessage());
        self::assertSame($first, self::unknown(static fn (): PoolStatus => $full->status()));
        self::assertSame('own', $own->status()->pool);
        $this->pools->release();
        // The probe keeps its first result, because one examination shows one moment.
        self::assertSame($first, self::unknown(static fn (): PoolStatus => $full->status()));
        self::assertSame($own->status(), $own->status());
    }

    #[Test]
    public function a_master_without_a_readable_configuration_is_a_finding_of_its_own(): void
    {
        $machine = Machine::create()
            ->has('/proc/10/stat', "10 (php-fpm) S 1 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 4711 1000 10 0\n")
            ->has('/proc/10/cmdline', 'php-fpm: master process (/nowhere/fpm.conf)')
            ->has('/proc/10/status', "Uid:\t0\t0\t0\t0\n")
            ->has('/proc/10/mountinfo', "1 0 8:1 / / rw\n")
            ->has('/proc/self/mountinfo', "1 0 8:1 / / rw\n");

        try {
            $facts = (new FpmProbe)->facts(RunningMaster::all($machine->files(), new Proc($machine->path('/proc'))));
        } finally {
            $machine->remove();
        }

        $findings = $facts->each(static fn (FpmPool $pool): Finding => Finding::pass('fine'));
        self::assertSame(
            [
                Status::Unknown,
                'PHP-FPM 10',
                UnreadableConfig::file('/nowhere/fpm.conf', 'No such file or directory')->getMessage(),
            ],
            [$findings[0]->status, $findings[0]->subject, $findings[0]->message],
        );
    }

    #[Test]
    public function without_any_fpm_there_is_nothing_to_look_at(): void
    {
        $this->expectException(NotApplicable::class);

        (new FpmProbe)->facts([]);
    }

    /** @param array<string, array<string, string|int>> $pools */
    private function facts(array $pools): FpmPools
    {
        $this->pools = Pools::start($pools);

        return $this->again();
    }

    private function again(): FpmPools
    {
        return (new FpmProbe)->facts(array_values(array_filter(
            RunningMaster::all(),
            fn (RunningMaster $master): bool => $master->pid === $this->pools?->pid(),
        )));
    }

    private static function pool(FpmPools $facts, string $name): FpmPool
    {
        foreach ($facts->pools as $pool) {
            if ($pool->settings->name === $name) {
                return $pool;
            }
        }

        self::fail("There is no pool {$name}.");
    }

    /** @param callable(): mixed $call */
    private static function unknown(callable $call): FactUnavailable
    {
        try {
            $call();
        } catch (FactUnavailable $e) {
            return $e;
        }

        self::fail('It is not known.');
    }
}
