<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs\SlowLog;

use Headroom\Doctor\Logs\SlowLog\SlowLogVerdict;
use Headroom\Doctor\Logs\SlowLog\WaitPurpose;
use Headroom\Doctor\Logs\SlowLog\WaitReason;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Waits that are told by frames of Laravel and of packages that are used with it.
 */
final class FrameClassifierTest extends TestCase
{
    private const LARAVEL = Traces::FRAMEWORK;

    private const VENDOR = Traces::ROOT.'vendor/';

    private const APP = Traces::ROOT.'app/';

    /**
     * @return iterable<string, array{list<array{string, string}>, WaitReason, ?WaitPurpose}> frames,
     *     the innermost first
     */
    public static function frames(): iterable
    {
        $redis = self::LARAVEL.'Redis/';

        yield 'phpredis connects' => [
            [
                ['connect', $redis.'Connectors/PhpRedisConnector.php:173'],
                ['establishConnection', $redis.'Connectors/PhpRedisConnector.php:91'],
            ],
            WaitReason::Redis,
            null,
        ];
        yield 'phpredis connects and keeps' => [
            [['pconnect', $redis.'Connectors/PhpRedisConnector.php:173']], WaitReason::Redis, null,
        ];
        yield 'a command of phpredis' => [
            [
                ['get', $redis.'Connections/Connection.php:116'],
                ['command', $redis.'Connections/PhpRedisConnection.php:532'],
            ],
            WaitReason::Redis,
            null,
        ];
        yield 'predis reads' => [
            [['fgets', self::VENDOR.'predis/predis/src/Connection/StreamConnection.php:301']], WaitReason::Redis, null,
        ];
        yield 'phpredis without Laravel' => [[['connect', self::APP.'Counter.php:3']], WaitReason::Redis, null];
        yield 'the session is read' => [
            [
                ['get', $redis.'Connections/Connection.php:116'],
                ['get', self::LARAVEL.'Cache/RedisStore.php:60'],
                ['get', self::LARAVEL.'Cache/Repository.php:110'],
                ['read', self::LARAVEL.'Session/Store.php:116'],
            ],
            WaitReason::Redis,
            WaitPurpose::SessionRead,
        ];
        yield 'a rate limit' => [
            [
                ['eval', $redis.'Connections/PhpRedisConnection.php:400'],
                ['increment', self::LARAVEL.'Cache/Repository.php:300'],
                ['hit', self::LARAVEL.'Cache/RateLimiter.php:110'],
            ],
            WaitReason::Redis,
            WaitPurpose::RateLimit,
        ];
        yield 'a job is dispatched' => [
            [['eval', $redis.'Connections/Connection.php:116'], ['pushRaw', self::LARAVEL.'Queue/RedisQueue.php:160']],
            WaitReason::Redis,
            WaitPurpose::Queue,
        ];
        yield 'PDO executes' => [
            [['execute', self::LARAVEL.'Database/Connection.php:430']], WaitReason::Database, null,
        ];
        yield 'PDO connects' => [
            [['__construct', self::LARAVEL.'Database/Connectors/Connector.php:66']], WaitReason::Database, null,
        ];
        yield 'PDO commits' => [
            [['commit', self::LARAVEL.'Database/Concerns/ManagesTransactions.php:240']], WaitReason::Database, null,
        ];
        yield 'PDO without Laravel' => [[['query', self::APP.'Report.php:9']], WaitReason::Database, null];
        yield 'mysqli without Laravel' => [[['mysqli_query', self::APP.'Report.php:9']], WaitReason::Database, null];
        yield 'sessions in the database' => [
            [
                ['execute', self::LARAVEL.'Database/Connection.php:430'],
                ['update', self::LARAVEL.'Session/DatabaseSessionHandler.php:193'],
                ['write', self::LARAVEL.'Session/Store.php:180'],
            ],
            WaitReason::Database,
            WaitPurpose::SessionWrite,
        ];
        yield 'Guzzle' => [
            [['curl_exec', self::VENDOR.'guzzlehttp/guzzle/src/Handler/CurlHandler.php:44']], WaitReason::Http, null,
        ];
        yield 'Guzzle without curl' => [
            [['fopen', self::VENDOR.'guzzlehttp/guzzle/src/Handler/StreamHandler.php:330']], WaitReason::Http, null,
        ];
        yield 'SOAP' => [[['__doRequest', self::APP.'Tax.php:9']], WaitReason::Http, null];
        yield 'a file lock' => [
            [['flock', self::LARAVEL.'Filesystem/LockableFile.php:154']], WaitReason::FileLock, null,
        ];
        yield "PHP's own session" => [
            [['session_start', self::APP.'old/login.php:2']], WaitReason::FileLock, WaitPurpose::Session,
        ];
        yield 'a sleep' => [[['usleep', self::LARAVEL.'Support/Sleep.php:330']], WaitReason::Sleep, null];
        yield 'an atomic lock' => [
            [
                ['usleep', self::LARAVEL.'Support/Sleep.php:330'],
                ['usleep', self::LARAVEL.'Cache/Lock.php:132'],
                ['block', self::APP.'Seats.php:8'],
            ],
            WaitReason::Sleep,
            WaitPurpose::CacheLock,
        ];
        yield 'DNS' => [[['gethostbyname', self::APP.'Ping.php:4']], WaitReason::Dns, null];
        yield 'mail()' => [[['mail', self::APP.'Ping.php:4']], WaitReason::Mail, null];
        yield 'SMTP' => [
            [['fgets', self::VENDOR.'symfony/mailer/Transport/Smtp/Stream/AbstractStream.php:70']], WaitReason::Mail,
            null,
        ];
        yield 'Memcached' => [
            [['get', self::LARAVEL.'Cache/MemcachedStore.php:60']], WaitReason::Memcached, WaitPurpose::Cache,
        ];
        yield 'Memcache is not Redis' => [
            [['pconnect', self::VENDOR.'old/memcache/src/Memcache.php:6']], WaitReason::Php, null,
        ];
        yield 'RabbitMQ' => [
            [['stream_select', self::VENDOR.'php-amqplib/php-amqplib/PhpAmqpLib/Wire/IO/StreamIO.php:360']],
            WaitReason::QueueServer,
            null,
        ];
        yield 'a program' => [[['proc_open', self::APP.'Convert.php:6']], WaitReason::Subprocess, null];
        yield 'a program of Symfony' => [
            [['stream_select', self::VENDOR.'symfony/process/Pipes/UnixPipes.php:101']], WaitReason::Subprocess, null,
        ];
        yield 'a socket' => [[['stream_socket_client', self::APP.'Whois.php:6']], WaitReason::Network, null];
        yield 'a file or a URL' => [[['file_get_contents', self::APP.'Feed.php:6']], WaitReason::FileOrStream, null];
        yield 'computing' => [
            [['resize', self::APP.'Thumbnail.php:6'], ['make', self::APP.'Gallery.php:8']], WaitReason::Php, null,
        ];

        // The callers of a function do not decide how it is classified.
        yield 'code of the application below the cache' => [
            [
                ['render', self::APP.'Menu.php:6'],
                ['App\{closure}', self::LARAVEL.'Cache/Repository.php:431'],
                ['get', $redis.'Connections/Connection.php:116'],
            ],
            WaitReason::Php,
            null,
        ];
        yield 'a callback within a transaction' => [
            [
                ['hydrate', self::LARAVEL.'Database/Eloquent/Builder.php:800'],
                ['App\{closure}', self::LARAVEL.'Database/Concerns/ManagesTransactions.php:30'],
                ['commit', self::LARAVEL.'Database/Connection.php:1'],
            ],
            WaitReason::Php,
            null,
        ];
        yield 'a command of Symfony named execute' => [
            [['tokens', self::APP.'Words.php:6'], ['execute', self::VENDOR.'symfony/console/Command/Command.php:326']],
            WaitReason::Php,
            null,
        ];
        yield 'code of a package below a command of Symfony' => [
            [
                ['format', self::VENDOR.'symfony/console/Formatter/OutputFormatter.php:100'],
                ['execute', self::VENDOR.'symfony/console/Command/Command.php:326'],
            ],
            WaitReason::Php,
            null,
        ];
        yield 'a middleware in front of the session' => [
            [
                ['trim', self::APP.'Http/Middleware/Trim.php:9'],
                ['handle', self::LARAVEL.'Pipeline/Pipeline.php:209'],
                ['write', self::LARAVEL.'Session/Store.php:180'],
            ],
            WaitReason::Php,
            null,
        ];
    }

    /** @param list<array{string, string}> $frames */
    #[Test]
    #[DataProvider('frames')]
    public function frames_tell_the_wait_and_its_purpose(array $frames, WaitReason $wait, ?WaitPurpose $purpose): void
    {
        $summary = Traces::read(Traces::below($frames));

        self::assertSame(1, $summary->traces);
        self::assertSame(
            [$wait, $purpose],
            [SlowLogVerdict::of($summary)?->wait, SlowLogVerdict::of($summary)?->purpose],
        );
    }

    #[Test]
    public function each_wait_has_words_and_advice(): void
    {
        foreach (WaitReason::cases() as $wait) {
            self::assertNotSame('', $wait->words());
        }

        $advice = [];

        foreach (self::frames() as [$frames]) {
            $verdict = SlowLogVerdict::of(Traces::read(Traces::below($frames)));
            $advice[$verdict->wait->value ?? ''][] = (string) $verdict?->next();
        }

        self::assertEqualsCanonicalizing(
            array_column(WaitReason::cases(), 'value'),
            array_keys($advice),
            'There is an example of each.',
        );
        self::assertNotContains('', array_merge(...array_values($advice)));
    }

    #[Test]
    public function an_application_that_keeps_connections_to_redis_is_not_told_to(): void
    {
        $next = static fn (string $call): ?string => SlowLogVerdict::of(Traces::read(Traces::below([[
            $call, Traces::FRAMEWORK.'Redis/Connectors/PhpRedisConnector.php:173',
        ]])))?->next();

        self::assertStringContainsString('REDIS_PERSISTENT', (string) $next('connect'));
        self::assertStringNotContainsString('REDIS_PERSISTENT', (string) $next('pconnect'));
        self::assertStringContainsString('slowlog get', (string) $next('pconnect'));
    }
}
