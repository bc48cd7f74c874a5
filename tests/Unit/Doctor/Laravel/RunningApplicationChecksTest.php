<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Laravel;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Laravel\BlockingRoute;
use Headroom\Doctor\Laravel\BlockingRoutes;
use Headroom\Doctor\Laravel\CacheRememberCalls;
use Headroom\Doctor\Laravel\Queue\JobClass;
use Headroom\Doctor\Laravel\Queue\JobClasses;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Checks of an application's routes, code and workers.
 */
final class RunningApplicationChecksTest extends DirectoryTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->directory->write('artisan', '');
    }

    #[Test]
    public function pages_that_lock_the_session_are_found_and_payments_pass(): void
    {
        $page = new BlockingRoute(['GET', 'HEAD'], 'feed', 10, 5);
        $payment = new BlockingRoute(['POST'], 'pay', 10, 10);

        Examined::fires('L19', ['GET|HEAD /feed'], $this->examined('L19', routes: [$payment, $page]));
        Examined::fires('L19', ['2', 'GET|HEAD /feed'], $this->examined('L19', routes: [$page, $page]));
        Examined::fires('L19', [], $this->examined('L19', ['session' => ['block' => true]]));
        Examined::is(Status::Pass, $this->examined('L19', ['session' => ['block' => false]], [$payment]));
        Examined::is(Status::Pass, $this->examined('L19'));
    }

    #[Test]
    public function workers_of_this_application_that_ask_the_database_are_found(): void
    {
        $own = new QueueWorker(1, null, 60, (string) realpath($this->directory->file('artisan')));
        $other = new QueueWorker(2, null, 60, '/srv/other/artisan');
        $unseen = new QueueWorker(3, null, 60);
        $with = fn (string $driver, QueueWorker ...$workers): Report => $this->examined(
            'L21',
            ['cache' => ['default' => 'store', 'stores' => ['store' => ['driver' => $driver]]]],
            workers: array_values($workers),
        );

        Examined::fires('L21', [], $with('database', $own, $other));
        Examined::fires('L21', ['2'], $with('database', $own, $own));
        Examined::is(Status::Pass, $with('redis', $own));
        Examined::is(Status::Skipped, $with('database', $other));
        Examined::is(Status::Skipped, $with('database'));
        Examined::is(Status::Unknown, $with('database', $other, $unseen));
    }

    /** @return iterable<string, array{string, bool}> */
    public static function code(): iterable
    {
        yield 'the facade' => ['Cache::remember("k", 60, fn () => 1);', true];
        yield 'the facade by its whole name' => [
            '\Illuminate\Support\Facades\Cache::remember("k", 60, fn () => 1);', true,
        ];
        yield 'the helper' => ['cache()->remember("k", 60, fn () => 1);', true];
        yield 'what is handed back at once' => ['return cache()->remember("k", 60, fn () => 1);', true];
        yield 'a store that is handed back' => ['return Cache::store("redis")->remember("k", 60, fn () => 1);', true];
        yield 'a store' => ['Cache::store("redis")->tags(["a"])->remember("k", 60, fn () => 1);', true];
        yield 'a shield' => ['Cache::flexible("k", [5, 10], fn () => 1);', false];
        yield 'a comment' => ['// Cache::remember("k", 60, fn () => 1);', false];
        yield 'a text' => ['$text = "Cache::remember(1)";', false];
        yield 'another class' => ['SessionCache::remember("k");', false];
        yield 'another class with stores' => ['return SessionCache::store("a")->remember("k");', false];
        yield 'a function of another name' => ['return mycache()->remember("k");', false];
        yield 'a method of a model' => ['$user->remember("k");', false];
        yield 'a method of that name' => ['function remember(): void {}', false];
        yield 'forever' => ['Cache::rememberForever("k", fn () => 1);', false];
    }

    #[Test]
    #[DataProvider('code')]
    public function values_that_many_requests_would_make_at_once_are_told_by_place(string $code, bool $isFound): void
    {
        mkdir($this->directory->file('app'));
        $this->directory->write('app/Page.php', "<?php\n\n{$code}\n");
        $diagnosis = $this->examined('L20');

        Examined::is($isFound ? Status::Skipped : Status::Pass, $diagnosis);
        self::assertSame(
            $isFound,
            str_starts_with($diagnosis->results[0]->finding->fix->commands[0] ?? '', 'headroom logs:slow '),
        );
        self::assertSame($isFound, str_contains($diagnosis->results[0]->finding->message, 'app/Page.php:3'));
    }

    /** @return iterable<string, array{string, string, list<array{string, int, ?string, string}>}> */
    public static function jobs(): iterable
    {
        yield 'a job' => [
            'Jobs/Import.php',
            "class Import implements ShouldQueue\n{\n    public \$timeout = 1_200;\n}",
            [['Import', 1200, null, 'app/Jobs/Import.php:5']],
        ];
        yield 'with a type and a connection' => [
            'Jobs/Import.php',
            "class Import\n{\n    public ?string \$connection = 'slow';\n\n    public int \$timeout = 120;\n}",
            [['Import', 120, 'slow', 'app/Jobs/Import.php:7']],
        ];
        yield 'a listener' => [
            'Listeners/Send.php',
            'class Send implements \\Illuminate\\Contracts\\Queue\\ShouldQueue { var $timeout = 5; }',
            [['Send', 5, null, 'app/Listeners/Send.php:3']],
        ];
        yield 'what is not queued' => ['Http/Client.php', 'class Client { public $timeout = 5; }', []];
        yield 'a variable of a method' => [
            'Jobs/Import.php',
            'class Import { public function handle(): void { $timeout = 5; } }',
            [],
        ];
        yield 'a hidden property, which the queue does not see' => [
            'Jobs/Import.php',
            'class Import { private $timeout = 5; }',
            [],
        ];
        yield 'a sum' => ['Jobs/Import.php', 'class Import { public $timeout = 60 * 5; }', []];
        yield 'a comment' => ['Jobs/Import.php', 'class Import { /* public $timeout = 5; */ }', []];
    }

    /** @param list<array{string, int, ?string, string}> $expected */
    #[Test]
    #[DataProvider('jobs')]
    public function limits_that_classes_of_jobs_have_are_read(string $path, string $code, array $expected): void
    {
        mkdir(dirname($this->directory->file("app/{$path}")), recursive: true);
        $this->directory->write("app/{$path}", "<?php\n\n{$code}\n");

        self::assertSame(
            $expected,
            array_map(
                static fn (JobClass $class): array => [
                    $class->name,
                    $class->timeout,
                    $class->connection,
                    $class->place,
                ],
                JobClasses::below($this->directory->path)->classes,
            ),
        );
    }

    #[Test]
    public function octane_ends_the_question_and_without_it_a_command_is_named(): void
    {
        $without = $this->examined('L17');
        $with = $this->examined('L17', packages: ['laravel/octane' => 'v2.5.0']);
        Examined::is(Status::Skipped, $without);
        Examined::is(Status::Skipped, $with);
        self::assertStringContainsString('curl', $without->results[0]->finding->fix->commands[0] ?? '');
        self::assertNull($with->results[0]->finding->fix);
    }

    /**
     * @param array<string, mixed> $config
     * @param list<BlockingRoute> $routes
     * @param list<QueueWorker> $workers
     * @param array<string, string> $packages
     */
    private function examined(
        string $id,
        array $config = [],
        array $routes = [],
        array $workers = [],
        array $packages = [],
    ): Report {
        $application = new Application($this->directory->path, '12.0.0', 'production', false, [], $config, $packages);

        return Examined::by($id, [
            Application::class => static fn (): Application => $application,
            BlockingRoutes::class => static fn (): BlockingRoutes => new BlockingRoutes($routes),
            QueueWorkers::class => static fn (): QueueWorkers => new QueueWorkers($workers),
            CacheRememberCalls::class => fn (): CacheRememberCalls => CacheRememberCalls::below($this->directory->path),
        ]);
    }
}
