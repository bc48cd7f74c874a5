<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Opcache;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\MissingClasses;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Status;
use Headroom\Host\Fpm\Address;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Checks of opcache that a real one cannot show: long uptimes, rare states, incomplete responses.
 */
final class OpcacheChecksTest extends TestCase
{
    private WebServers $machine;

    protected function setUp(): void
    {
        $this->machine = new WebServers;
    }

    /** @return iterable<string, array{string, ?array<string, mixed>, Status}> */
    public static function runtimes(): iterable
    {
        yield 'waste' => ['O6', self::opcache(['memory_usage' => ['current_wasted_percentage' => 5.1]]), Status::Warn];
        yield 'as much as may be wasted' => [
            'O6', self::opcache(['memory_usage' => ['current_wasted_percentage' => 5.0]]), Status::Pass,
        ];
        yield 'more may be wasted' => [
            'O6',
            self::opcache(
                ['memory_usage' => ['current_wasted_percentage' => 9.0]],
                ['opcache.max_wasted_percentage' => 0.1],
            ),
            Status::Pass,
        ];
        yield 'eleven resets' => [
            'O6', self::opcache(['opcache_statistics' => ['manual_restarts' => 11]]), Status::Warn,
        ];
        yield 'ten resets' => ['O6', self::opcache(['opcache_statistics' => ['manual_restarts' => 10]]), Status::Pass];
        yield 'opcache tells nothing of waste' => ['O6', ['opcache_error' => 'no'], Status::Unknown];
        yield 'misses that are the first for each file' => [
            'O7',
            self::opcache(['opcache_statistics' => ['hits' => 36_160, 'misses' => 476, 'num_cached_scripts' => 470]]),
            Status::Pass,
        ];
        yield 'misses of four processes that began together' => [
            'O7',
            self::opcache(['opcache_statistics' => ['hits' => 10_000, 'misses' => 1_880, 'num_cached_scripts' => 470]]),
            Status::Pass,
        ];
        yield 'misses that go on' => [
            'O7',
            self::opcache(['opcache_statistics' => ['hits' => 97_119, 'misses' => 2_881, 'num_cached_scripts' => 470]]),
            Status::Warn,
        ];
        yield 'one in a hundred' => [
            'O7',
            self::opcache(['opcache_statistics' => ['hits' => 97_120, 'misses' => 2_880, 'num_cached_scripts' => 470]]),
            Status::Pass,
        ];
        $missing = ['hits' => 97_119, 'misses' => 2_881, 'num_cached_scripts' => 470];
        yield 'misses of an opcache that began a moment ago' => [
            'O7', self::opcache(['opcache_statistics' => $missing], other: ['now' => 5 + 59]), Status::Skipped,
        ];
        yield 'misses of an opcache that began a minute ago' => [
            'O7', self::opcache(['opcache_statistics' => $missing], other: ['now' => 5 + 60]), Status::Warn,
        ];
        yield 'misses of an opcache that was reset a moment ago' => [
            'O7',
            self::opcache(
                ['opcache_statistics' => $missing + ['last_restart_time' => 900]],
                other: ['now' => 900 + 59],
            ),
            Status::Skipped,
        ];
        yield 'misses of an opcache that was reset a minute ago' => [
            'O7',
            self::opcache(
                ['opcache_statistics' => $missing + ['last_restart_time' => 900]],
                other: ['now' => 900 + 60],
            ),
            Status::Warn,
        ];
        yield 'few misses of an opcache that began a moment ago' => [
            'O7',
            self::opcache(
                ['opcache_statistics' => ['hits' => 97_120, 'misses' => 2_880, 'num_cached_scripts' => 470]],
                other: ['now' => 6],
            ),
            Status::Pass,
        ];
        yield 'a debugger' => ['O11', ['extensions' => ['xdebug'], 'ini' => ['xdebug.mode' => 'debug']], Status::Fail];
        yield 'a debugger that is off' => [
            'O11',
            ['extensions' => ['xdebug', 'pcov'], 'ini' => ['xdebug.mode' => 'off', 'pcov.enabled' => '0']],
            Status::Pass,
        ];
        yield 'too few to tell' => [
            'O7',
            self::opcache(['opcache_statistics' => ['hits' => 0, 'misses' => 9_999, 'num_cached_scripts' => 1]]),
            Status::Pass,
        ];
        yield 'a full JIT' => [
            'O8',
            self::opcache(['jit' => ['enabled' => true, 'on' => true, 'buffer_size' => 1000, 'buffer_free' => 49]]),
            Status::Warn,
        ];
        yield 'a JIT with room' => [
            'O8',
            self::opcache(['jit' => ['enabled' => true, 'on' => true, 'buffer_size' => 1000, 'buffer_free' => 50]]),
            Status::Pass,
        ];
        yield 'a full JIT that is off' => [
            'O8',
            self::opcache(['jit' => ['enabled' => true, 'on' => false, 'buffer_size' => 0, 'buffer_free' => 0]]),
            Status::Skipped,
        ];
        yield 'a JIT that does not tell' => [
            'O8', self::opcache(['jit' => ['enabled' => true, 'on' => true]]), Status::Unknown,
        ];

        foreach (['O6', 'O7', 'O8'] as $id) {
            yield "{$id} of a pool that cannot be asked" => [$id, null, Status::Unknown];
        }
    }

    /**
     * @param array<string, array<string, mixed>> $more
     * @param array<string, mixed> $ini
     * @param array<string, mixed> $other
     * @return array<string, mixed> what the probe prints
     */
    private static function opcache(array $more, array $ini = [], array $other = []): array
    {
        $good = [
            'opcache_enabled' => true,
            'memory_usage' => [
                'used_memory' => 9,
                'free_memory' => 9,
                'wasted_memory' => 0,
                'current_wasted_percentage' => 0.0,
            ],
            'opcache_statistics' => ['manual_restarts' => 0, 'start_time' => 5],
        ];

        return [
            'opcache' => array_replace_recursive($good, $more),
            'configuration' => ['directives' => $ini + ['opcache.max_wasted_percentage' => 0.05]],
        ]
            + $other;
    }

    /** @param ?array<string, mixed> $runtime */
    #[Test]
    #[DataProvider('runtimes')]
    public function facts_of_opcache_decide_the_status(string $id, ?array $runtime, Status $status): void
    {
        $finding = $this->examined($id, $runtime);

        self::assertSame($status, $finding->status, $finding->message);
    }

    #[Test]
    public function classes_that_are_not_there(): void
    {
        $finding = static fn (Facts $facts, MissingClasses $missed): Finding => Examined::by('O12', [
            Application::class => static fn (): Application => $facts->get(Application::class),
            MissingClasses::class => static fn (): MissingClasses => $missed,
        ])->results[0]->finding;
        $many = array_map(static fn (int $i): string => "Absent{$i}", range(1, 50));

        $fired = $finding(Applications::with(), new MissingClasses($many, false));
        self::assertTrue($fired->status->isProblem());
        Examined::shows(['50'], $fired->message);
        self::assertSame(
            Status::Pass,
            $finding(Applications::with(), new MissingClasses(array_slice($many, 1), false))->status,
        );
        self::assertSame(Status::Pass, $finding(Applications::with(), new MissingClasses($many, true))->status);
        self::assertSame(
            Status::Skipped,
            $finding(Applications::with(environment: 'local'), new MissingClasses($many, false))->status,
        );
        self::assertSame(
            Status::Skipped,
            $finding(Applications::with(isOptimized: false), new MissingClasses($many, false))->status,
        );

        class_exists('Headroom\Tests\NotThere');
        self::assertContains('Headroom\Tests\NotThere', MissingClasses::ofThisProcess()->names);
    }

    #[Test]
    public function first_misses_of_a_pool_elsewhere_are_unknown(): void
    {
        $address = Address::parse('127.0.0.1:9');
        $finding = function (int $misses) use ($address): Finding {
            $probe = $this->machine->runtime(self::opcache(['opcache_statistics' => [
                'hits' => 100_000 - $misses,
                'misses' => $misses,
                'num_cached_scripts' => 470,
            ]]));
            $pool = new FpmPool(
                RunningMaster::unseen($address),
                (new PoolSettings('away', []))->with(new PhpSetting('listen', $address->text(), '--fpm')),
                new PoolSettings('global', []),
                'it is known by its address alone',
                probe: $probe,
            );

            return Examined::by(
                'O7',
                [FpmPools::class => static fn (): FpmPools => new FpmPools([$pool], [], [])],
            )->results[0]->finding;
        };

        self::assertSame(Status::Pass, $finding(1_000)->status);
        self::assertSame(Status::Unknown, $finding(1_001)->status);
    }

    /** @param ?array<string, mixed> $runtime */
    private function examined(string $id, ?array $runtime): Finding
    {
        return Examined::by(
            $id,
            [FpmPools::class => fn (): FpmPools => $this->machine->fpm(['www' => []], [], $runtime)],
        )->results[0]->finding;
    }
}
