<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Bench\Machine;
use Headroom\Bench\Paired;
use Headroom\Bench\Preload\Finding;
use Headroom\Bench\Preload\PageCost;
use Headroom\Bench\Preload\PageRate;
use Headroom\Bench\Preload\PoolFacts;
use Headroom\Bench\Queues\Document;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\Finding as QueueFinding;
use Headroom\Bench\Queues\Findings;
use Headroom\Bench\Queues\Given;
use Headroom\Bench\Queues\Outcome;
use Headroom\Bench\Queues\Probed;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Samples;
use Headroom\Console\Collector\InstallCommand;
use Headroom\Console\DeadLetters\FailedCommand;
use Headroom\Console\DeadLetters\FailedShowCommand;
use Headroom\Console\DeadLetters\ForgetCommand;
use Headroom\Console\DeadLetters\RetryCommand;
use Headroom\Console\Logs\ErrorlogCommand;
use Headroom\Console\Logs\SlowlogCommand;
use Headroom\Console\Preload\BenchReport;
use Headroom\Console\Preload\GeneratedReport;
use Headroom\Console\Preload\StatusReport as PreloadStatus;
use Headroom\Console\Spool\AdoptCommand;
use Headroom\Console\Spool\CleanCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\ForgetNodeCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\NewIdCommand;
use Headroom\Console\Spool\PauseCommand;
use Headroom\Console\Spool\PeekCommand;
use Headroom\Console\Spool\ReplayCommand;
use Headroom\Console\Spool\RestartCommand;
use Headroom\Console\Spool\ResumeCommand;
use Headroom\Console\Spool\RetireCommand;
use Headroom\Console\Spool\SpoolCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Core\SystemClock;
use Headroom\Preload\Dropped;
use Headroom\Preload\Gain;
use Headroom\Preload\Generated;
use Headroom\Preload\Mode;
use Headroom\Preload\Observation\Observed;
use Headroom\Preload\Reason;
use Headroom\Preload\Strategy;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Load\HttpServer;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\SetUpSink;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * docs/commands.md has a section per command, with its arguments, its options, and an example of its JSON. A new
 * command needs a section there and, if it has --json, a way to be run in printed().
 */
#[Group('smoke')]
final class CommandsGuideTest extends TestCase
{
    private const GENERAL = [
        'help', 'silent', 'quiet', 'version', 'ansi', 'no-ansi', 'no-interaction', 'env', 'verbose',
    ];

    private string $guide;

    protected function setUp(): void
    {
        $this->guide = (string) file_get_contents(dirname(__DIR__, 2).'/docs/commands.md');
    }

    #[Test]
    public function each_command_has_a_section_and_a_row_of_the_overview(): void
    {
        preg_match_all('/^## `((?:spool|headroom):[\w:-]+)`$/m', $this->guide, $sections);
        preg_match_all('/^\| `((?:spool|headroom):[\w:-]+)` \|/m', $this->guide, $rows);
        $registered = array_keys($this->commands());

        self::assertEqualsCanonicalizing($registered, $sections[1]);
        self::assertEqualsCanonicalizing($registered, $rows[1]);
    }

    #[Test]
    public function each_section_has_the_arguments_options_and_defaults_of_its_command(): void
    {
        foreach ($this->commands() as $name => $defined) {
            preg_match_all(
                '/^\| `(--)?([\w-]+)(=[A-Z]+)?` \| (.*?) ?\| .* \|$/m',
                $this->section($name),
                $rows,
                PREG_SET_ORDER,
            );
            $documented = [];

            foreach ($rows as $row) {
                // A default that is a number is told as such; words tell what happens without one.
                $documented["{$row[1]}{$row[2]}"] = [$row[3] !== '', ctype_digit($row[4]) ? $row[4] : null];
            }

            self::assertEquals($defined, $documented, $name);
        }
    }

    #[Test]
    public function each_section_says_when_the_command_ends_with_what(): void
    {
        foreach (array_keys($this->commands()) as $name) {
            self::assertMatchesRegularExpression('/Ends with [01]\b/', $this->section($name), $name);
        }
    }

    #[Test, Group('day-2')]
    public function each_example_of_json_has_the_members_that_the_command_prints(): void
    {
        $sample = Sample::of($this->commands(), 12);

        foreach ($this->commands() as $name => $defined) {
            $has = preg_match('/^```json\n(.*?)^```$/ms', $this->section($name), $example) === 1;
            self::assertSame(
                isset($defined['--json']),
                $has,
                "{$name}: an example for each command with --json, and for no other",
            );

            if ($has && isset($sample[$name])) {
                self::assertSame(
                    $this->members(json_decode($this->printed($name), true, flags: JSON_THROW_ON_ERROR)),
                    $this->members(json_decode($example[1], true, flags: JSON_THROW_ON_ERROR)),
                    $name,
                );
            }
        }
    }

    /** What the command prints in a state that fills its lists as the example does. */
    private function printed(string $command): string
    {
        $spool = new Spool;

        try {
            return match ($command) {
                'spool:install' => $this->application('spool:install'),
                'spool:bench' => $this->application('spool:bench', '--seconds=1'),
                'spool:health' => $this->of(
                    $spool,
                    HealthCommand::class,
                    before: static fn () => $spool->database()->statement('drop table api_events'),
                ),
                'spool:flush' => $this->of($spool, FlushCommand::class),
                'spool:status' => $this->of($spool, StatusCommand::class),
                'spool:clean' => $this->of($spool, CleanCommand::class),
                'spool:retire' => $this->of($spool, RetireCommand::class, ['bucket' => 'api-events']),
                'spool:peek' => $this->of($spool, PeekCommand::class, ['bucket' => 'api-events']),
                'spool:verify' => $this->of(
                    $spool,
                    VerifyCommand::class,
                    before: static fn (): bool => $spool->run(FlushCommand::class)->exit === 0
                        && unlink("{$spool->path}/buckets/api-events/state"),
                ),
                'spool:adopt' => $this->of(
                    $spool,
                    AdoptCommand::class,
                    ['directory' => $spool->file('dead'), '--force' => true],
                    static fn () => rename($spool->path, $spool->file('dead')),
                ),
                'spool:failed' => $this->refused($spool, FailedCommand::class, []),
                'spool:failed:show' => $this->refused($spool, FailedShowCommand::class, ['id' => ['all']]),
                'spool:retry' => $this->refused($spool, RetryCommand::class, ['id' => ['all']]),
                'spool:forget' => $this->refused($spool, ForgetCommand::class, ['id' => ['all']]),
                'spool:replay' => $this->of($spool, ReplayCommand::class, [
                    'bucket' => 'api-events',
                    '--from-now' => true,
                ]),
                'spool:new-id' => $this->of($spool, NewIdCommand::class),
                'spool:pause', 'spool:resume' => $this->of(
                    $spool,
                    $command === 'spool:pause' ? PauseCommand::class : ResumeCommand::class,
                    ['bucket' => 'api-events'],
                ),
                'spool:restart' => $this->of($spool, RestartCommand::class),
                'spool:forget-node' => $this->of(
                    $spool,
                    ForgetNodeCommand::class,
                    ['--empty' => true],
                    static function () use ($spool): void {
                        $spool->createNodes();
                        $spool->database()
                            ->table('spool_nodes')
                            ->insert([
                                'node' => str_repeat('5', 32),
                                'machine' => 'm',
                                'host' => 'web-3',
                                'pid' => 7,
                                'path' => '/b',
                                'since' => '2020-01-01 00:00:00',
                                'last_seen' => '2020-01-01 00:00:00',
                                'pending' => 0,
                                'dead' => 0,
                                'dropped' => 0,
                                'troubled' => 0,
                                'buckets' => '{}',
                            ]);
                    },
                ),
                'headroom:collect:key' => $this->application('headroom:collect:key', 'create', 'shop'),
                'headroom:doctor' => $this->application('headroom:doctor', '--only=L13', '--env=production'),
                'headroom:collect:status' => $this->statusOfARunningCollector(),
                'headroom:collect:install' => (new Spool(['events' => ['sink' => SetUpSink::class]]))->run(
                    InstallCommand::class,
                    ['--json' => true],
                )->out,
                'headroom:slowlog' => $this->logs(
                    SlowlogCommand::class,
                    str_replace('hasMacro', 'connect', Traces::session()),
                ),
                'headroom:errorlog' => $this->logs(
                    ErrorlogCommand::class,
                    '2026/03/14 09:41:57 [error] 1#1: *1 upstream timed out (110: Connection timed out) while reading'
                        .' response header from upstream, client: 203.0.113.9, server: shop.example, request:'
                        ." \"GET / HTTP/1.1\", upstream: \"fastcgi://unix:/run/fpm.sock:\"\n",
                ),
                'headroom:preload' => json_encode(
                    (new GeneratedReport(self::generated(), '/p.php', 'www-data', 1.0))->toArray(),
                    JSON_THROW_ON_ERROR,
                ),
                'headroom:preload:bench' => json_encode(
                    (new BenchReport(Machine::describe('', new SystemClock), [], [self::finding()]))->toArray(),
                    JSON_THROW_ON_ERROR,
                ),
                'headroom:bench' => json_encode(
                    (new Document(
                        [...Machine::describe('', new SystemClock), 'laravel' => '', 'cache_store' => ''],
                        new Given,
                        ['empty' => self::queues()],
                    ))->toArray(),
                    JSON_THROW_ON_ERROR,
                ),
                'headroom:preload:status' => json_encode(
                    (new PreloadStatus(
                        '/p.php',
                        null,
                        [['pool' => 'www', 'php' => null, 'classes' => 0, 'files' => 0, 'problems' => []]],
                        [],
                        new Observed,
                    ))->toArray(),
                    JSON_THROW_ON_ERROR,
                ),
                'headroom:load' => $this->load(static fn (
                    callable $artisan,
                    string $url,
                ): string => $artisan('headroom:load', $url, '--requests=20', '--threshold=error_rate<1%')),
                'headroom:compare' => $this->load(self::compared(...)),
                default => self::fail("{$command} has --json: say here how to run it."),
            };
        } finally {
            $spool->remove();
        }
    }

    /**
     * @param class-string<SpoolCommand> $command
     * @param array<string, mixed> $input
     */
    private function refused(Spool $spool, string $command, array $input): string
    {
        return $this->of($spool, $command, $input, static function () use ($spool): void {
            $spool->database()->statement('create unique index once on api_events (event)');
            $spool->add(1);
            $spool->run(FlushCommand::class);
        });
    }

    /**
     * @param class-string<SpoolCommand> $command
     * @param array<string, mixed> $input
     * @param ?callable(): mixed $before
     */
    private function of(Spool $spool, string $command, array $input = [], ?callable $before = null): string
    {
        $spool->add(1);
        $before === null ? null : $before();

        return $spool->run($command, [...$input, '--json' => true])->out;
    }

    /** @param callable(string ...): string $artisan */
    private static function compared(callable $artisan, string $url): string
    {
        foreach (['a.json', 'b.json'] as $file) {
            $artisan('headroom:load', $url, '--requests=20', "--output={$file}");
        }

        return $artisan('headroom:compare', 'a.json', 'b.json');
    }

    /** @param class-string<SlowlogCommand|ErrorlogCommand> $command */
    private function logs(string $command, string $log): string
    {
        $directory = TemporaryDirectory::create('logs');

        try {
            $tester = new CommandTester(new $command);
            $files = [
                $directory->write('a.log', "rubbish\n{$log}"),
                $directory->write('b.log', "lines\nof another\nprogram\n"),
                $directory->file('gone'),
            ];
            $tester->execute(['file' => $files, '--json' => true], ['capture_stderr_separately' => true]);

            return $tester->getDisplay();
        } finally {
            $directory->remove();
        }
    }

    private function application(string ...$command): string
    {
        $app = ScratchApplication::onThisCheckout();

        try {
            return $app->artisan(...array_values($command), ...['--json'])->out;
        } finally {
            $app->remove();
        }
    }

    /** @param callable(callable(string ...): string, string): string $run */
    private function load(callable $run): string
    {
        $server = HttpServer::start();
        $app = ScratchApplication::onThisCheckout();

        try {
            return $run(
                static fn (string ...$command): string => $app->artisan(...array_values($command), ...['--json'])->out,
                $server->url('/ok'),
            );
        } finally {
            $app->remove();
            $server->stop();
        }
    }

    private static function finding(): Finding
    {
        $one = new Samples([1]);
        $same = Paired::of([1], [1]);

        return new Finding(
            'hot',
            new PoolFacts(0, 0, 0, 0, 0, 0, 0, 0),
            $one,
            $one,
            $one,
            $same,
            ['GET /posts' => new PageCost($one, $one, $same, 0.0, false)],
            ['GET /posts' => new PageRate($one, $same, $one, $one)],
            [],
        );
    }

    private static function queues(): Findings
    {
        $probed = new Probed(1.0, 1.0);
        $outcome = new Outcome(
            1,
            1,
            1.0,
            1,
            [[0.0, 1]],
            [],
            [Fault::leftBehind(1)],
            ['before' => $probed, 'after' => $probed],
            ['busy' => 1.0, 'stolen' => 0.0],
            [],
        );

        return new Findings([new QueueFinding(
            new Variant(
                'redis',
                new DriverFacts(
                    'SQLite',
                    Durability::EachJob,
                    [
                        'journal_mode' => 'wal',
                        'synchronous' => '2',
                        'busy_timeout' => '60000',
                        'transaction_mode' => 'DEFERRED',
                    ],
                    ['one worker'],
                ),
                (new Given)->workload(),
            ),
            [$outcome],
            1,
        )]);
    }

    private static function generated(): Generated
    {
        return new Generated(
            Strategy::Hot,
            Mode::Compile,
            '/p.php',
            ['a.php'],
            1,
            1,
            1.0,
            1.0,
            [new Dropped('A', 'a.php', Reason::Impure, 'b')],
            [],
            ['GET /posts' => 200],
            ['GET /broken' => 'it gives no answer'],
            [],
            new Gain(1.0, 1.0, 1.0),
            true,
            false,
            true,
            true,
        );
    }

    private function statusOfARunningCollector(): string
    {
        $collector = Running::start(['workers' => 1]);

        return $collector->command('collect:status', '--json')[1];
    }

    /**
     * @return array<mixed> names, all the way down; a list is told by its first element, values of events are anybody's
     */
    private function members(mixed $document): array
    {
        $members = [];

        foreach (is_array($document) ? $document : [] as $name => $value) {
            if ($name !== 'values' && (! is_int($name) || $name === 0)) {
                $members[$name] = $this->members($value);
            }
        }

        return $members;
    }

    private function section(string $command): string
    {
        self::assertSame(
            1,
            preg_match("/^## `{$command}`\n(.*?)(?=^## |\z)/ms", $this->guide, $section),
            "docs/commands.md has no section of {$command}.",
        );

        return $section[1];
    }

    /**
     * @return array<string, array<string, array{bool, ?string}>> by command and argument or option:
     *     whether it takes a value, and the default
     */
    private function commands(): array
    {
        $workbench = WorkbenchApplication::boot();

        try {
            $list = json_decode($workbench->artisan('list', ['--format' => 'json']), true, flags: JSON_THROW_ON_ERROR);
        } finally {
            $workbench->shut();
        }

        $commands = [];
        self::assertIsArray($list);
        self::assertIsArray($list['commands']);
        $list['commands'] = array_filter(
            $list['commands'],
            static fn (mixed $command): bool => is_array($command)
                && is_string($command['name'] ?? null)
                && preg_match(
                    '/^(spool|headroom):(?!collect:worker$|bench:work$|load:share$|lane:(?:cache|clear)$)/',
                    $command['name'],
                ) === 1,
        );

        /**
         * @var array{
         *     name: string,
         *     definition: array{
         *         arguments: array<string, array{default: mixed}>,
         *         options: array<string, array{accept_value: bool, default: mixed}>,
         *     },
         * } $command
         */
        foreach ($list['commands'] as $command) {
            $commands[$command['name']] = [];

            foreach ($command['definition']['arguments'] as $name => $argument) {
                $commands[$command['name']][$name] = [false, $this->asText($argument['default'])];
            }

            foreach (array_diff_key($command['definition']['options'], array_flip(self::GENERAL)) as $name => $option) {
                $commands[$command['name']]["--{$name}"] = [$option['accept_value'], $this->asText($option['default'])];
            }
        }

        return $commands;
    }

    private function asText(mixed $default): ?string
    {
        return is_numeric($default) ? (string) $default : null;
    }
}
