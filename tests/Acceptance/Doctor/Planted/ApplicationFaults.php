<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

/**
 * Faults that are planted in the application.
 */
final readonly class ApplicationFaults
{
    /** @return list<Planting> */
    public static function faults(): array
    {
        return [
            new Planting('L1 the configuration is not cached', 'L1', artisan: ['config:clear']),
            new Planting('L2 routes are not cached', 'L2', artisan: ['route:clear']),
            new Planting('L3 events are not cached', 'L3', artisan: ['event:clear']),
            new Planting('L3 views are not cached', 'L3', artisan: ['view:clear']),
            new Planting('L4 debugging is on', 'L4', env: ['APP_DEBUG' => 'true']),
            new Planting('L7 sessions in files', 'L7', env: ['SESSION_DRIVER' => 'file']),
            new Planting('L8 a cache in files', 'L8', env: ['CACHE_STORE' => 'file']),
            new Planting('L9 jobs within requests', 'L9', env: ['QUEUE_CONNECTION' => 'sync']),
            new Planting('L13 debugging words are written', 'L13', env: ['LOG_LEVEL' => 'debug']),
            new Planting('R1 a connection for each request', 'R1', env: ['REDIS_PERSISTENT' => 'false']),
            new Planting(
                'L5 env() where it says nothing',
                'L5',
                files: [
                    'app/Jobs/Reads.php' => "<?php\n\nnamespace App\\Jobs;\n\nfinal class Reads\n{\n    public function"
                        ." key(): mixed\n    {\n        return env('SOME_KEY');\n    }\n}\n",
                ],
                isProse: true,
            ),
            new Planting(
                'O2 opcache is smaller than the application',
                'O2',
                ini: ['opcache.memory_consumption=12', 'opcache.interned_strings_buffer=6'],
                isProse: true,
            ),
            new Planting('O3 fewer keys than files', 'O3', ini: ['opcache.max_accelerated_files=200'], isProse: true),
            new Planting('O4 no room for strings', 'O4', ini: ['opcache.interned_strings_buffer=1'], isProse: true),
            new Planting('R5 by TCP to where a socket is', 'R5', env: [
                'REDIS_HOST' => '127.0.0.1',
                'REDIS_PORT' => '%PORT%',
            ]),
            new Planting('R11 a client written in PHP', 'R11', env: ['REDIS_CLIENT' => 'predis'], also: ['R4']),
            new Planting(
                'D4 sessions wait for the disk',
                'D4',
                env: ['SESSION_DRIVER' => 'database'],
                also: ['L7'],
                isProse: true,
            ),
            new Planting(
                'L11 a job outlives its reservation',
                'L11',
                config: ["'timeout' => 80" => "'timeout' => 120"],
            ),
            new Planting(
                'L12 workers ask again and again',
                'L12',
                config: ["'block_for' => 5" => "'block_for' => null"],
            ),
            new Planting(
                'L12 workers wait forever',
                'L12',
                config: ["'block_for' => 5" => "'block_for' => 0"],
                also: ['R12'],
            ),
            new Planting(
                'L16 locks beside values',
                'L16',
                config: ["'lock_connection' => 'default'" => "'lock_connection' => 'cache'"],
                isProse: true,
            ),
            new Planting('R2 a connection without a database', 'R2', config: ["'database' => 0, " => '']),
            new Planting(
                'R4 patience for a minute',
                'R4',
                config: ["'database' => 1, 'timeout' => 1, 'read_timeout' => 9" => "'database' => 1"],
            ),
            new Planting(
                'R4 half the patience',
                'R4',
                config: ["'database' => 1, 'timeout' => 1, 'read_timeout' => 9" => "'database' => 1, 'timeout' => 1"],
            ),
            new Planting('R12 a worker that blocks longer than its client waits', 'R12', config: [
                "'database' => 0, 'timeout' => 1, 'read_timeout' => 9" =>
                    "'database' => 0, 'timeout' => 1, 'read_timeout' => 1",
            ]),
            new Planting('R14 a subscription on a connection with a limit', 'R14', files: [
                'app/Listens.php' => <<<'PHP'
                    <?php

                    namespace App;

                    use Illuminate\Support\Facades\Redis;

                    final class Listens
                    {
                        public function run(): void
                        {
                            Redis::subscribe(['orders'], static fn (string $message): string => $message);
                        }
                    }

                    PHP,
            ], isProse: true),
            new Planting(
                'D3 a persistent PDO',
                'D3',
                config: ["'options' => []" => "'options' => [PDO::ATTR_PERSISTENT => true]"],
                isProse: true,
            ),
        ];
    }

    /** @return list<Planting> */
    public static function nearMisses(): array
    {
        return [
            new Planting(
                'no caches where one develops',
                '',
                env: ['APP_ENV' => 'local', 'APP_DEBUG' => 'true', 'LOG_LEVEL' => 'debug'],
                artisan: ['optimize:clear'],
            ),
            new Planting('env() in config only', '', config: ["'name' => 'x'" => "'name' => env('SOME_KEY', 'x')"]),
            new Planting('opcache as large as the application wants', '', ini: [
                'opcache.memory_consumption=64', 'opcache.max_accelerated_files=4000',
            ]),
            new Planting('a log that takes notices', '', env: ['LOG_LEVEL' => 'notice']),
            new Planting('a cache in Memcached', '', env: ['CACHE_STORE' => 'memcached']),
            new Planting('jobs that end ten seconds before', '', config: ["'timeout' => 80" => "'timeout' => 89"]),
            new Planting('workers wait for a second', '', config: ["'block_for' => 5" => "'block_for' => 1"]),
            new Planting('a client that waits a second longer than a worker blocks', '', config: [
                "'database' => 0, 'timeout' => 1, 'read_timeout' => 9" =>
                    "'database' => 0, 'timeout' => 1, 'read_timeout' => 6",
            ]),
            new Planting(
                'options of PDO that keep nothing',
                '',
                config: ["'options' => []" => "'options' => [PDO::ATTR_PERSISTENT => false]"],
            ),
        ];
    }
}
