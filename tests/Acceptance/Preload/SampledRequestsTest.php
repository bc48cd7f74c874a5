<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Composer\Autoload\ClassLoader;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Response;
use Headroom\Preload\Page;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Laravel\Support\Http;
use Illuminate\Foundation\Application;
use Illuminate\Routing\Router;
use Illuminate\Session\Middleware\StartSession;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Workbench\App\Http\Controllers\DocumentController;
use Workbench\App\Http\Controllers\HomeController;
use Workbench\Rig\Rig;

/**
 * Real requests to real workers, each of them sampled.
 */
final class SampledRequestsTest extends TestCase
{
    private ?SampledWorkbench $workbench = null;

    protected function setUp(): void
    {
        Needs::webStack();
    }

    protected function tearDown(): void
    {
        $this->workbench?->remove();
    }

    #[Test, Group('day-3')]
    public function each_request_of_several_workers_is_written_down_or_counted_as_busy(): void
    {
        $workbench = $this->workbench();
        $stack = $workbench->serve(4);
        $result = $this->load($stack, 400, ['/', '/api/ping', '/documents/1', '/documents/1?token=secret']);
        $observed = $workbench->observed(400);

        self::assertSame(400, $result, 'Answers.');
        self::assertSame(400, $observed->requests + $observed->busy);
        self::assertGreaterThan(0, $observed->requests);
        self::assertSame([0, 0, 0], [$observed->afterPreload, $observed->discarded, $observed->leftOut]);
        self::assertSame([], $workbench->samples()->setAside());
        self::assertGreaterThanOrEqual($observed->since, $observed->until);
    }

    #[Test, Group('day-2')]
    public function the_classes_of_pages_and_the_pages_are_right(): void
    {
        $workbench = $this->workbench();
        $stack = $workbench->serve(1);
        [$status, $document] = Http::send('POST', "{$stack->url()}/documents", ['title' => 'One']);
        self::assertSame(201, $status);
        $id = is_array($document) && is_int($document['id']) ? $document['id'] : self::fail('No document.');

        foreach (['/', "/documents/{$id}?token=secret", "/documents/{$id}", '/nothing/here', '/catalogue'] as $path) {
            Http::get("{$stack->url()}{$path}");
        }

        $observed = $workbench->observed(6);
        self::assertSame(6, $observed->requests);
        self::assertSame(1.0, $observed->shareOf(Application::class));
        self::assertSame(1.0, $observed->shareOf(ClassLoader::class));
        self::assertEqualsWithDelta(1 / 6, $observed->shareOf(HomeController::class), 1e-9);
        self::assertEqualsWithDelta(3 / 6, $observed->shareOf(DocumentController::class), 1e-9);
        self::assertEqualsWithDelta(1 / 6, $observed->shareOf(StartSession::class), 1e-9);
        self::assertSame(
            [],
            array_values(array_filter(
                $observed->classes(),
                static fn (string $class): bool => preg_match(
                    '/\A(ArrayObject|Closure|Headroom\\\\Preload|Headroom\\\\Laravel\\\\Preload)|@anonymous/',
                    $class,
                ) === 1,
            )),
        );
        self::assertContains(Router::class, $observed->classes());

        $names = array_map(static fn (Page $page): string => "{$page->weight} {$page->name()}", $observed->pages);
        self::assertSame(["2 GET /documents/{$id}", '1 GET /', '1 GET /catalogue'], $names);
        self::assertStringNotContainsString(
            'secret',
            (string) file_get_contents("{$workbench->directory()}/{$this->node()}.json"),
        );
    }

    #[Test, Group('day-3')]
    public function the_group_may_read_and_others_may_not(): void
    {
        $workbench = $this->workbench();
        Http::get("{$workbench->serve(1)->url()}/");
        $workbench->observed(1);
        $file = "{$workbench->directory()}/{$this->node()}.json";

        self::assertSame('770', decoct((int) fileperms($workbench->directory()) & 0o777));
        self::assertSame('660', decoct((int) fileperms($file) & 0o777));
    }

    #[Test, Group('day-1')]
    public function files_of_two_nodes_are_added_up(): void
    {
        $workbench = $this->workbench();
        $stack = $workbench->serve(1);
        Http::get("{$stack->url()}/");
        Http::get("{$stack->url()}/");
        $workbench->observed(2);
        copy("{$workbench->directory()}/{$this->node()}.json", "{$workbench->directory()}/other.json");
        Http::get("{$workbench->serve(1)->url()}/api/ping");
        $observed = $workbench->observed(5);

        self::assertSame(5, $observed->requests);
        self::assertSame(1.0, $observed->shareOf(Application::class));
        self::assertSame(0.8, $observed->shareOf(HomeController::class));
        self::assertSame(4, $observed->pages[0]->weight);
    }

    #[Test, Group('day-1')]
    public function after_a_preload_only_other_classes_are_counted(): void
    {
        $workbench = $this->workbench();
        Http::get("{$workbench->serve(1)->url()}/");
        $workbench->observed(1);
        $preloaded = [Router::class, StartSession::class];
        $stack = $workbench->serve(1, $this->preload($workbench, $preloaded));
        Http::get("{$stack->url()}/");
        Http::get("{$stack->url()}/catalogue");
        $observed = $workbench->observed(3);

        self::assertSame([1, 2, 0], [$observed->requests, $observed->afterPreload, $observed->discarded]);
        self::assertSame(2, $observed->preloaded[Router::class] ?? 0);
        self::assertSame(2, $observed->preloaded[StartSession::class] ?? 0);
        self::assertSame([], array_intersect($preloaded, array_keys($observed->usesAfterPreload)));
        self::assertSame(
            [1.0, 0.0],
            [$observed->shareOf(Router::class), $observed->shareOf(StartSession::class)],
            'What was preloaded is not ranked.',
        );
        self::assertSame(1.0, $observed->shareOf(HomeController::class));
        self::assertContains(
            'Workbench\App\Http\Controllers\CatalogueController',
            $observed->classes(),
            'What was not preloaded is added.',
        );
        self::assertSame(0.5, $observed->shareOf('Workbench\App\Http\Controllers\CatalogueController'));
    }

    #[Test, Group('day-2')]
    public function where_php_does_not_tell_whether_it_preloads_samples_are_discarded_and_counted(): void
    {
        $workbench = $this->workbench();
        Http::get(
            "{$workbench->serve(1, [...$this->preload($workbench, [Router::class]), 'opcache.restrict_api' => '/nowhere'])->url()}/",
        );
        $workbench->observed(1);
        Http::get(
            "{$workbench->serve(1, [...$this->preload($workbench, [Router::class]), 'disable_functions' => 'opcache_get_status'])->url()}/",
        );
        $workbench->observed(2);
        Http::get("{$workbench->serve(1, ['opcache.restrict_api' => '/nowhere'])->url()}/");
        $observed = $workbench->observed(3);

        self::assertSame([1, 0, 2], [$observed->requests, $observed->afterPreload, $observed->discarded]);
    }

    #[Test]
    #[Group('proof')]
    public function a_kill_in_the_middle_of_a_sample_leaves_a_readable_file(): void
    {
        $workbench = $this->workbench();
        $stack = $workbench->serve(4);
        $killer = new class($stack) implements Observer
        {
            public int $killed = 0;

            public function __construct(private readonly WebStack $stack) {}

            public function finished(int $number, Request $request, Response $response): void
            {
                // The answer is out, so its worker is at the sample now.
                if ($number % 7 === 0 && $this->stack->killRandomWorker() !== null) {
                    $this->killed++;
                }
            }
        };
        $this->load($stack, 600, ['/'], $killer);
        $observed = $workbench->observed(1);

        self::assertGreaterThan(40, $killer->killed);
        self::assertGreaterThan(0, $observed->requests);
        self::assertSame(1.0, $observed->shareOf(HomeController::class));
        self::assertSame([], $workbench->samples()->setAside());

        // The lock of a dead worker delays no other worker.
        Http::get("{$workbench->serve(1)->url()}/");
        self::assertSame(
            $observed->requests + 1,
            $workbench->observed($observed->requests + $observed->busy + 1)->requests,
        );
    }

    #[Test, Group('day-1')]
    public function a_broken_file_is_set_aside_and_sampling_goes_on(): void
    {
        $workbench = $this->workbench();
        mkdir($workbench->directory(), 0o777, true);
        chmod($workbench->directory(), 0o777);
        file_put_contents("{$workbench->directory()}/{$this->node()}.json", '{"kind":');
        Http::get("{$workbench->serve(1)->url()}/");

        self::assertSame(1, $workbench->observed(1)->requests);
        self::assertSame(["{$workbench->directory()}/{$this->node()}.broken"], $workbench->samples()->setAside());
    }

    #[Test, Group('day-3')]
    public function a_sample_that_cannot_be_written_is_logged_once_and_the_request_answered(): void
    {
        $workbench = $this->workbench();
        // A file where the directory should be stops root too.
        file_put_contents($workbench->directory(), '');
        $log = "{$workbench->storage()}/php.log";
        $stack = $workbench->serve(1, ['error_log' => $log, 'log_errors' => '1']);

        // One worker: when it answers the third one it has done with the second one's sample.
        self::assertSame(
            [200, 200, 200],
            [Http::get("{$stack->url()}/")[0], Http::get("{$stack->url()}/")[0], Http::get("{$stack->url()}/")[0]],
        );
        $workbench->stop();
        self::assertSame(
            1,
            preg_match_all("~\Q{$workbench->directory()}\E .*File exists~", (string) file_get_contents($log)),
        );
        self::assertTrue($workbench->observed(0)->isEmpty());
    }

    #[Test, Group('day-1')]
    public function nothing_need_be_cached_and_the_server_of_php_will_do(): void
    {
        $workbench = $this->workbench();
        array_map(
            unlink(...),
            ["{$workbench->storage()}/bootstrap/config.php", "{$workbench->storage()}/bootstrap/routes.php"],
        );
        $server = BuiltInServer::start(new WebConfig(
            Rig::root().'/public/index.php',
            1,
            [
                'WORKBENCH_STORAGE' => $workbench->storage(),
                'DB_CONNECTION' => 'sqlite',
                'HEADROOM_PRELOAD_SAMPLE' => '1',
            ],
            user: Rig::user(),
        ));

        try {
            self::assertSame([200, 200], [Http::get("{$server->url()}/")[0], Http::get("{$server->url()}/")[0]]);
            $observed = $workbench->observed(2);
        } finally {
            $server->stop();
        }

        self::assertSame([2, 1.0], [$observed->requests, $observed->shareOf(HomeController::class)]);
        self::assertSame(
            ['2 GET /'],
            array_map(static fn (Page $page): string => "{$page->weight} {$page->name()}", $observed->pages),
        );
    }

    #[Test, Group('day-2')]
    public function a_command_is_not_sampled(): void
    {
        // Its tables were made and its caches were filled by artisan, with the same settings.
        self::assertDirectoryDoesNotExist($this->workbench()->directory());
    }

    #[Test, Group('day-2')]
    public function without_sampling_nothing_is_written(): void
    {
        $this->workbench = new SampledWorkbench('0');
        $stack = $this->workbench->serve(1);
        self::assertSame([200, 200], [Http::get("{$stack->url()}/")[0], Http::get("{$stack->url()}/")[0]]);
        $this->workbench->stop();

        self::assertDirectoryDoesNotExist($this->workbench->directory());
    }

    private function workbench(): SampledWorkbench
    {
        return $this->workbench = new SampledWorkbench;
    }

    private function node(): string
    {
        return (string) gethostname();
    }

    /**
     * @param list<class-string> $classes
     * @return array<string, string> settings
     */
    private function preload(SampledWorkbench $workbench, array $classes): array
    {
        $loader = array_values(ClassLoader::getRegisteredLoaders())[0];
        $lines = array_map(
            static fn (string $class): string => 'opcache_compile_file('
                .var_export(realpath((string) $loader->findFile($class)), true).');',
            $classes,
        );
        $file = "{$workbench->storage()}/preload.php";
        file_put_contents($file, "<?php\n".implode("\n", $lines)."\n");

        return ['opcache.preload' => $file, ...(posix_geteuid() === 0 ? ['opcache.preload_user' => Rig::user()] : [])];
    }

    /** @param list<string> $paths */
    private function load(WebStack $stack, int $requests, array $paths, ?Observer $observer = null): int
    {
        $source = new class($stack->url(), $requests, $paths) implements RequestSource
        {
            /** @param list<string> $paths */
            public function __construct(
                private readonly string $url,
                private readonly int $requests,
                private readonly array $paths,
            ) {}

            public function next(int $number): ?Request
            {
                return $number < $this->requests
                    ? new Request($this->url.$this->paths[$number % count($this->paths)])
                    : null;
            }
        };

        return (new LoadGenerator)->run(Plan::everything(concurrency: 8, timeout: 30), $source, $observer)->finished();
    }
}
