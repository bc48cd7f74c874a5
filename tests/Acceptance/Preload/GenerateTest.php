<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Core\SystemClock;
use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Fpm\OpcacheProbe;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\GeneratedList;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Mode;
use Headroom\Preload\Observation\PageRunner;
use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;
use Headroom\Preload\Script\CandidateScript;
use Headroom\Preload\Script\Script;
use Headroom\Preload\Selection\IgnoreRules;
use Headroom\Preload\Selection\ListBuilder;
use Headroom\Preload\Selection\Project;
use Headroom\Preload\Selection\RequestedClasses;
use Headroom\Preload\Selection\Selector;
use Headroom\Preload\Selection\SourceCache;
use Headroom\Preload\Strategy;
use Headroom\Preload\UnableToPreload;
use Headroom\Preload\Verification\Baseline;
use Headroom\Preload\Verification\Bisection;
use Headroom\Preload\Verification\StartupLog;
use Headroom\Preload\Verification\Verifier;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Lists of a release, each proven by a stack that knows nothing of how it was made: nginx, PHP-FPM with it,
 * and every page.
 */
final class GenerateTest extends TestCase
{
    /** As far as it is looked at before it is replaced. */
    private const OLDER = "<?php\n\n/*\n * Strategy hot, mode compile, 1 files, PHP 8.2.0\n */\n\$lock = 'a';"
        ." isAsProven('0', [\$lock]); isAsProven('0', \$guards); isAsProven('0', \$packages); isAsProven('0',"
        ." \$application);\n";

    /** @var array<string, list<array{int, string}>> */
    private static array $plain = [];

    private Generation $generation;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->generation = new Generation(Release::shared());
        self::$plain = self::$plain === [] ? Pages::answers(Release::shared()->web()) : self::$plain;
        $this->generation->sweep();
    }

    /** @param array<string, string> $config */
    #[Test, Group('day-1')]
    #[DataProvider('strategies')]
    public function with_a_list_of_each_strategy_every_page_answers_as_without(
        Strategy $strategy,
        array $config = [],
    ): void {
        // Another test measures the search for a class.
        $made = $this->generation->make([
            'strategy' => $strategy->value,
            'budget_mb' => 64,
            'ignore' => ['Workbench\App\Audit'],
            ...$config,
        ]);

        self::assertSame([], $made->warnings);
        self::assertGreaterThan(150, $made->classes);
        self::assertCount(count(Pages::all()), $made->pages);
        self::assertSame([], $made->leftOut);
        $this->assertNoPageChanges();
    }

    /** @return array<string, array{0: Strategy, 1?: array<string, string>}> */
    public static function strategies(): array
    {
        return Sample::of([
            'laravel' => [Strategy::Laravel],
            'refined' => [Strategy::Refined],
            'vendors' => [Strategy::Vendors],
            'hot' => [Strategy::Hot],
            'hot and laravel' => [Strategy::HotLaravel],
            'hot, by autoload' => [Strategy::Hot, ['mode' => 'autoload']],
        ], 1);
    }

    #[Test]
    #[Group('proof')]
    public function a_class_that_changes_a_page_is_named_and_left_out_alone(): void
    {
        $made = $this->generation->make();
        $this->assertNoPageChanges();

        $changing = array_values(array_filter(
            $made->dropped,
            static fn (DroppedClass $one): bool => $one->reason === DropReason::ChangesPage,
        ));
        self::assertSame(['Workbench\App\Audit\AuditTrail'], array_column($changing, 'class'));
        self::assertStringContainsString('GET /pages/trap', $changing[0]->detail);
        self::assertStringContainsString('"audit":[]', $changing[0]->detail);

        $reasons = array_map(
            static fn (DroppedClass $one): DropReason => $one->reason,
            array_column($made->dropped, null, 'class'),
        );
        self::assertSame(DropReason::Impure, $reasons['Workbench\App\Legacy\Money'] ?? null);
        self::assertSame(DropReason::Impure, $reasons['Workbench\App\Reports\Report'] ?? null);
        self::assertSame(DropReason::DroppedAncestor, $reasons['Workbench\App\Reports\MonthlyReport'] ?? null);
        self::assertSame(DropReason::Impure, $reasons['Carbon\Translator'] ?? null);
    }

    /** Purity by tokens left out on purpose: pages find what it would have. */
    #[Test]
    #[Group('proof')]
    public function breakage_by_an_unfiltered_list_is_caught_and_each_offender_is_named(): void
    {
        $verified = $this->unfiltered()->verify();
        $this->generation->sweep();
        $excluded = array_map(
            static fn (DroppedClass $one): array => [$one->class, $one->reason],
            array_values($verified->excluded),
        );

        self::assertContains(['Workbench\App\Legacy\Money', DropReason::ChangesPage], $excluded);
        self::assertContains(['Workbench\App\Reports\Report', DropReason::ChangesPage], $excluded);
        self::assertContains(['Workbench\App\Audit\AuditTrail', DropReason::ChangesPage], $excluded);
        self::assertNotContains('app/Legacy/Money.php', $verified->selection->files);
    }

    #[Test]
    #[Group('proof')]
    public function two_runs_give_the_same_bytes_and_the_second_one_changes_nothing(): void
    {
        $first = $this->few();
        $bytes = (string) file_get_contents($this->generation->script());
        $inode = fileinode($this->generation->script());
        $second = $this->few();
        clearstatcache();

        self::assertTrue($first->isChanged);
        self::assertFalse($second->isChanged);
        self::assertSame($bytes, file_get_contents($this->generation->script()));
        self::assertSame($inode, fileinode($this->generation->script()), 'The same list was written again.');
    }

    #[Test]
    #[Group('proof')]
    public function without_installing_nothing_is_made_and_an_old_list_stays(): void
    {
        $this->few(installs: false);
        self::assertFileDoesNotExist($this->generation->script());
        file_put_contents($this->generation->script(), self::OLDER);

        $this->few(installs: false);

        self::assertSame(self::OLDER, file_get_contents($this->generation->script()));
        self::assertSame([], $this->generation->candidates());
    }

    #[Test]
    #[Group('proof')]
    public function a_file_with_which_php_would_not_start_is_left_out_and_named(): void
    {
        $this->generation->release->path('app/Broken');
        mkdir($this->generation->release->path('app/Broken'));
        // It parses, and is refused when it is compiled: the whole PHP-FPM would not start.
        file_put_contents(
            $this->generation->release->path('app/Broken/Twice.php'),
            "<?php\n\nnamespace Workbench\\App\\Broken;\n\nfinal class Twice\n{\n    public function a():"
                ." void {}\n\n    public function a(): void {}\n}\n",
        );
        $this->generation->release->dumpAutoload();

        try {
            $made = $this->few(['paths' => ['app/Broken']]);
        } finally {
            unlink($this->generation->release->path('app/Broken/Twice.php'));
            rmdir($this->generation->release->path('app/Broken'));
            $this->generation->release->dumpAutoload();
        }

        $dropped = array_column($made->dropped, null, 'class')['Workbench\App\Broken\Twice']
            ?? self::fail('It was not dropped.');
        self::assertSame(DropReason::StopsPhp, $dropped->reason);
        self::assertStringContainsString('Cannot redeclare', $dropped->detail);
        $this->assertNoPageChanges();
    }

    #[Test, Group('day-3')]
    public function a_list_too_large_for_the_memory_is_refused_and_not_installed(): void
    {
        file_put_contents($this->generation->script(), self::OLDER);

        try {
            $this->few(ini: ['opcache.memory_consumption' => 14]);
            self::fail('It was installed.');
        } catch (UnableToPreload $e) {
            self::assertStringContainsString('opcache.memory_consumption', $e->getMessage());
        }

        self::assertSame(self::OLDER, file_get_contents($this->generation->script()));
    }

    #[Test]
    #[Group('proof')]
    public function a_budget_is_kept_and_classes_of_most_requests_go_first(): void
    {
        $whole = $this->few(installs: false);
        $made = $this->few(['budget_mb' => 6]);

        self::assertLessThanOrEqual(6 * 1_048_576, $made->bytes);
        self::assertGreaterThan(4 * 1_048_576, $made->bytes);
        self::assertGreaterThan(6 * 1_048_576, $whole->bytes);
        self::assertContains('vendor/laravel/framework/src/Illuminate/Foundation/Application.php', $made->files);
        self::assertNotContains('app/Http/Controllers/Pages/PostsController.php', $made->files);
        $this->assertNoPageChanges();
    }

    /** Samples of requests that ran with the list do not show which preloaded classes they used. */
    #[Test]
    #[Group('proof')]
    public function samples_of_a_preloaded_php_give_the_same_list_again(): void
    {
        $pages = Generation::pages('/pages/json', '/pages/posts');
        $requests = count($pages);
        $before = new ObservedRequests($requests, $this->usesOf(...$pages), pages: $pages);
        $first = $this->generation->make(requests: new GeneratorInput($before));
        $bytes = (string) file_get_contents($this->generation->script());
        $preloaded = array_fill_keys($this->preloadedClasses(), $requests);
        $left = array_diff_key($before->uses, $preloaded);
        $after = new ObservedRequests(
            afterPreload: $requests,
            usesAfterPreload: $left,
            preloaded: $preloaded,
            pages: $pages,
        );

        $second = $this->generation->make(requests: new GeneratorInput($before->merge($after)));

        self::assertNotSame([], $left, 'Nothing that was used is not preloaded, so that this shows nothing.');
        self::assertSame($bytes, file_get_contents($this->generation->script()));
        self::assertSame($first->files, $second->files);

        // Nor is it lost when only those are left.
        $only = $this->generation->make(requests: new GeneratorInput($after));
        self::assertSame($first->files, $only->files);
    }

    #[Test, Group('day-2')]
    public function only_failing_pages_prove_nothing(): void
    {
        $crash = $this->generation->release->path('public/crash.php');
        file_put_contents($crash, '<?php http_response_code(500); echo "no";');
        $made = $this->generation->make(requests: new GeneratorInput(named: [
            ...Generation::pages('/pages/json'), ...Generation::pages('/pages/unknown'),
        ]));
        self::assertSame(
            ['GET /pages/json' => 200, 'GET /pages/unknown' => 404],
            $made->pages,
            'An answer 404 is one like any other.',
        );

        $this->expectException(UnableToPreload::class);
        $this->expectExceptionMessageMatches('~\b1\b.*GET /pages/json\b.*\b500\b~');

        try {
            $this->generation->make(
                requests: new GeneratorInput(named: Generation::pages('/pages/json')),
                front: 'public/crash.php',
            );
        } finally {
            unlink($crash);
        }
    }

    /**
     * Of two pages, where they are enough.
     *
     * @param array<string, mixed> $config
     * @param array<string, string|int|bool> $ini
     */
    private function few(array $config = [], array $ini = [], bool $installs = true): GeneratedList
    {
        return $this->generation->make(
            $config,
            new GeneratorInput(named: Generation::pages('/pages/json', '/pages/posts')),
            $ini,
            $installs,
        );
    }

    private function assertNoPageChanges(): void
    {
        self::assertSame(
            self::$plain,
            Pages::answers($this->generation->release->web(ini: ['opcache.preload' => $this->generation->script()])),
        );
    }

    /** @return array<string, int> */
    private function usesOf(Page ...$pages): array
    {
        $observed = (new PageRunner($this->generation->site(), '', new SystemClock))->observe(array_values($pages));

        return $observed->usage(array_values($pages))->uses;
    }

    /** @return list<string> */
    private function preloadedClasses(): array
    {
        $fpm = PrivateFpm::start($this->generation->site(), $this->generation->script());

        try {
            $classes = json_decode(
                $fpm->run('<?php echo json_encode(opcache_get_status(false)["preload_statistics"]["classes"]);')->body,
                true,
            );
        } finally {
            $fpm->stop();
        }

        self::assertIsArray($classes);

        return array_values(array_filter($classes, is_string(...)));
    }

    private function unfiltered(): Verifier
    {
        $site = $this->generation->site();
        $plain = PrivateFpm::start($site);
        $project = Project::at($site->root);
        $classes = [];

        $pages = Generation::pages(
            '/pages/json',
            '/pages/alias',
            '/pages/impure-parent',
            '/pages/trap',
            '/pages/audited',
        );

        foreach ($this->usesOf(...$pages) as $class => $uses) {
            $file = $project->fileOf($class);
            $classes += $file === null ? [] : [$class => ['file' => $file, 'share' => 1.0]];
        }

        $sources = new SourceCache($project);
        $script = new Script(
            $project,
            Generation::FILE,
            Mode::Compile,
            Strategy::Hot,
            (new OpcacheProbe($plain))->version(),
        );
        $expected = array_map(static fn (Page $page): Baseline => Baseline::of($page, $plain), $pages);
        self::assertNotSame([], $expected);

        return new Verifier(
            $project->root,
            // Files that do more than declare pass here, and are compiled all the same.
            new ListBuilder(
                new Selector($project, $sources, new IgnoreRules([]), Mode::Autoload),
                new RequestedClasses($classes),
                1 << 30,
                [],
            ),
            new Bisection(
                $site,
                new CandidateScript($script, $this->generation->script(), new SystemClock),
                new SystemClock,
            ),
            $expected,
            StartupLog::parse([]),
            static function (string $line): void {},
        );
    }
}
