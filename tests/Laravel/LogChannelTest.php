<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Laravel\HeadroomServiceProvider;
use Headroom\Laravel\Log\SpoolHandler;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer as SpoolBuffer;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\LogsOnWorkbench;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Sentence;
use Illuminate\Foundation\Application;
use Illuminate\Log\LogManager;
use Illuminate\Support\Facades\Context;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Log;
use Monolog\Handler\FingersCrossedHandler;
use Monolog\Handler\TestHandler;
use Monolog\Level;
use Monolog\Logger;
use Monolog\LogRecord;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Psr\Log\NullLogger;

/**
 * The log channel `spool` of an application, of its processes, and of Monolog alone.
 */
#[Group('snapshot')]
final class LogChannelTest extends TestCase
{
    use LogsOnWorkbench;

    #[Test]
    public function a_line_is_an_event_with_the_context_of_laravel_and_the_application(): void
    {
        $this->on();
        $fake = Buffer::fake();
        Log::shareContext(['tenant' => 7]);
        Context::add('trace', 'abc');
        Log::channel('spool')->warning('Order {order} is late', ['order' => 'A-1']);

        [$row] = $fake->buffered('logs');
        self::assertSame(
            [
                'log',
                300,
                'WARNING',
                'testing',
                'Order A-1 is late',
                ['tenant' => 7, 'order' => 'A-1'],
                ['trace' => 'abc'],
            ],
            [
                $row['type'],
                $row['level'],
                $row['level_name'],
                $row['channel'],
                $row['message'],
                $row['context'],
                $row['extra'],
            ],
        );
        self::assertSame('Headroom%20workbench/'.rawurlencode((string) gethostname()), $row['source']);
    }

    #[Test]
    public function the_channels_own_settings_are_followed(): void
    {
        $this->on(
            ['other-logs' => []],
            channel: [
                'level' => 'error',
                'source' => 'billing',
                'name' => 'money',
                'bucket' => 'other-logs',
                'replace_placeholders' => false,
            ],
        );
        $fake = Buffer::fake();
        Log::channel('spool')->warning('not this');
        Log::channel('spool')->error('this {a}', ['a' => 1]);

        [$row] = $fake->buffered('other-logs');
        self::assertCount(1, $fake->buffered());
        self::assertSame(['billing', 'money', 'this {a}'], [$row['source'], $row['channel'], $row['message']]);
    }

    /**
     * @param array<string, mixed> $channel
     * @param list<string> $named
     */
    #[Test]
    #[TestWith([['bucket' => '../etc'], ['../etc']])]
    #[TestWith([['level' => 'loud'], ['logging.channels.spool.level', "'loud'"]])]
    #[TestWith([['lvl' => 'debug'], ['logging.channels.spool.lvl', 'level', 'fallback']])]
    public function a_wrong_setting_of_the_channel_is_named_in_laravels_emergency_log(
        array $channel,
        array $named,
    ): void {
        $on = $this->on(channel: $channel);
        Log::channel('spool')->error('This line');

        Sentence::assertNames([...$named, 'This line'], $on->workbench->log());
    }

    /** A provider that logs in its register() may come before the package's. */
    #[Test]
    #[TestWith([true])]
    #[TestWith([false])]
    public function the_channel_exists_in_a_logger_made_before_or_after_the_provider_registers(bool $isMadeBefore): void
    {
        $this->on();
        $app = Application::getInstance();
        $app->instance('log', new LogManager($app));

        if (! $isMadeBefore) {
            $app->forgetInstance('log');
        }

        (new HeadroomServiceProvider($app))->register();
        $fake = Buffer::fake();
        $app->make(LogManager::class)->channel('spool')->warning('here');

        self::assertSame(['here'], array_column($fake->buffered('logs'), 'message'));
    }

    #[Test]
    public function a_logger_of_the_application_is_not_replaced(): void
    {
        $this->on();
        $app = Application::getInstance();
        $app->instance('log', $other = new NullLogger);
        (new HeadroomServiceProvider($app))->register();

        self::assertSame($other, $app->make('log'));
    }

    #[Test]
    public function a_line_that_is_too_large_is_cut_and_arrives(): void
    {
        $on = $this->on(['logs' => ['sink' => 'database', 'table' => 'logs', 'utf8' => 'refuse']]);
        $blob = array_fill_keys(range(1, 500), str_repeat("\x01\xFF\"", 5_000));
        Log::channel('spool')->error(
            str_repeat("\x02", 10_000_000),
            ['blob' => $blob, 'pdo' => DB::connection()->getPdo(), 'closure' => static fn () => null],
        );
        $on->workbench->artisan('spool:flush', ['bucket' => 'logs']);

        $row = DB::table('logs')->sole();
        self::assertIsString($row->message);
        self::assertIsString($row->context);
        self::assertMatchesRegularExpression('/\[[^]]*\b10000000\b[^]]*\]\z/', $row->message);
        self::assertMatchesRegularExpression('/"\\\\u2026":"\[[^]]*\b500\b[^]]*\]"/', $row->context);
        self::assertSame('', $this->errors());
    }

    #[Test]
    public function in_sql_each_line_is_a_row_with_json_columns(): void
    {
        $on = $this->on();
        self::assertSame(202, $on->workbench->postJson('/orders/A-7', [])->getStatusCode());
        $on->workbench->artisan('spool:flush', ['bucket' => 'logs']);

        [$info, $error] = DB::table('logs')->orderBy('id')->get()->all();
        self::assertSame(
            ['INFO', 'Order A-7 has come in', '{"order":"A-7"}', '{}'],
            [$info->level_name, $info->message, $info->context, $info->extra],
        );
        self::assertSame('Order A-7 was not handed on', $error->message);
        self::assertSame(
            'The warehouse is closed.',
            DB::table('logs')->where('level', '>=', 400)->value('context->exception->message'),
        );
    }

    #[Test]
    public function as_a_monolog_handler_it_needs_no_laravel_and_writes_a_batch_at_once(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
        $bucket = SpoolBuffer::onDisk(AppendConfig::fromArray(['path' => $this->app->path('spool')]))->bucket('logs');
        $seen = new TestHandler;
        $handler = new SpoolHandler($bucket, 'info', source: 'worker', fallback: $seen);
        $handler->pushProcessor(
            static fn (LogRecord $record): LogRecord => $record->with(extra: ['by' => 'processor']),
        );
        $logger = new Logger('plain', [new FingersCrossedHandler($handler, Level::Error)]);
        $logger->debug('below the level');
        $logger->info('before');
        $logger->error('the error');

        $written = implode(
            '',
            array_map(
                static fn (string $file): string => (string) file_get_contents($file),
                array_filter((array) glob($this->app->path('spool').'/buckets/logs/active/*.log'), is_string(...)),
            ),
        );
        self::assertSame(
            [1, 1, 0],
            [
                substr_count($written, '"message":"before"'),
                substr_count($written, '"message":"the error"'),
                substr_count($written, 'below the level'),
            ],
        );
        // Of two events written one by one there would be two headers between them.
        self::assertMatchesRegularExpression('/"before".*\n.*"the error"/', $written);
        self::assertSame(2, substr_count($written, 'processor'));
        self::assertSame([0, []], [$handler->fallbackCount(), $seen->getRecords()]);
    }

    #[Test]
    public function of_a_batch_that_is_too_large_together_every_line_arrives(): void
    {
        $this->on();
        $fake = Buffer::fake();
        $handler = new SpoolHandler(static fn () => Buffer::bucket('logs'));
        $records = array_map(
            static fn (int $i): LogRecord => new LogRecord(
                new \Monolog\JsonSerializableDateTimeImmutable(true),
                'c',
                Level::Info,
                "{$i} ".str_repeat('x', 50_000),
            ),
            range(1, 300),
        );
        $handler->handleBatch($records);

        self::assertCount(300, $fake->buffered('logs'));
        self::assertSame(0, $handler->fallbackCount());
    }

    #[Test, Group('day-3')]
    public function over_fpm_a_request_keeps_one_slot_and_two_workers_lose_no_line(): void
    {
        Needs::webStack();
        $app = $this->scratch();
        $app->shareWithEverybody();
        $stack = WebStack::start(new WebConfig($app->path('public/index.php'), workers: 2, env: $app->env()));

        try {
            foreach (range(1, 20) as $ignored) {
                [$status, $body] = Http::post("{$stack->url()}/log/25");
                self::assertSame([200, ['held' => 1]], [$status, $body], $app->log());
            }
        } finally {
            $stack->stop();
        }

        self::assertSame(500, $this->lines($app));
    }

    #[Test, Group('day-1')]
    public function two_processes_at_once_and_a_queue_worker_write_to_the_same_bucket(): void
    {
        $app = $this->scratch();
        mkdir($app->path('shared'));
        $processes = array_map(static fn () => $app->process([PHP_BINARY, 'artisan', 'app:log', '500']), [1, 2]);
        array_map(static fn ($process) => $process->start(), $processes);

        foreach ($processes as $process) {
            self::assertSame(0, $process->wait(), $process->getOutput().$process->getErrorOutput());
        }

        $app->execute(
            'create table jobs (id integer primary key, queue, payload, attempts, reserved_at, available_at,'
                .' created_at)',
        );
        self::assertSame(0, $app->artisan('app:log-later', '10')->exit);
        self::assertSame(0, $app->artisan('queue:work', '--once')->exit, $app->log());

        self::assertSame(1_010, $this->lines($app));
    }

    /** Not even root can write where its file lies. */
    #[Test]
    public function a_request_is_served_although_no_line_can_be_written_anywhere(): void
    {
        $app = $this->scratch(['path' => '/proc/spool']);
        $server = $app->serve();

        try {
            self::assertSame(200, Http::post("{$server->url()}/log/3")[0]);
        } finally {
            $server->stop();
        }
    }

    /** @param array<string, mixed> $settings */
    private function scratch(array $settings = []): ScratchApplication
    {
        $this->app = $app = ScratchApplication::onThisCheckout();
        $app->config(
            'spool',
            var_export(
                [
                    'path' => $app->path('shared/buffer'),
                    'schedule' => false,
                    'heartbeats' => false,
                    ...$settings,
                    'buckets' => ['logs' => ['sink' => 'file', 'path' => $app->path('logs.ndjson')]],
                ],
                true,
            ),
        );
        $app->config(
            'logging',
            var_export(
                [
                    'default' => 'single',
                    'channels' => [
                        'spool' => ['driver' => 'spool'],
                        'single' => ['driver' => 'single', 'path' => $app->path('storage/logs/laravel.log')],
                    ],
                ],
                true,
            ),
        );

        return $app;
    }

    private function lines(ScratchApplication $app): int
    {
        self::assertSame(0, $app->artisan('spool:flush')->exit, $app->log());
        $lines = array_map(
            static fn (string $line): mixed => json_decode($line, true, flags: JSON_THROW_ON_ERROR),
            explode("\n", trim($app->read('logs.ndjson'))),
        );
        self::assertCount(count($lines), array_unique(array_filter(array_column($lines, 'id'), is_string(...))));

        return count($lines);
    }
}
