<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Gain;
use Headroom\Preload\Generation\GainEstimator;
use Headroom\Preload\Observation\ObservedPages;
use Headroom\Preload\Page;
use Headroom\Tests\Acceptance\Host\Needs;
use Illuminate\Http\Request;
use Illuminate\Routing\Router;
use Illuminate\Support\Str;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class GainEstimatorTest extends TestCase
{
    private const LISTED = [Request::class, Router::class, Str::class];

    private PrivateFpm $fpm;

    private Generation $generation;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->generation = new Generation(Release::shared());
        $this->fpm = PrivateFpm::start($this->generation->site());
    }

    protected function tearDown(): void
    {
        $this->fpm->stop();
    }

    #[Test]
    public function it_counts_listed_classes_of_a_request_and_measures_loading_and_requests(): void
    {
        $gain = $this->estimate([
            [new Page('GET', '/pages/json'), [Request::class, Router::class, 'App\Other']],
            [new Page('GET', '/pages/posts'), [Str::class]],
        ]);

        self::assertSame(1.5, $gain->classesPerRequest);
        self::assertGreaterThan(0.0, $gain->microsPerClass);
        self::assertLessThan(100_000.0, $gain->microsPerClass);

        if (is_readable('/proc/self/schedstat')) {
            self::assertGreaterThan(0.0, $gain->requestMicros);
            self::assertGreaterThan(0.0, $gain->share());
        }
    }

    #[Test]
    public function only_get_requests_are_repeated_for_it(): void
    {
        $gain = $this->estimate([[new Page('POST', '/pages/json', '{}', 'application/json'), [Str::class]]]);

        self::assertSame([1.0, null, null], [$gain->classesPerRequest, $gain->requestMicros, $gain->share()]);
        self::assertGreaterThan(0.0, $gain->microsPerClass);
    }

    #[Test]
    public function a_php_fpm_that_ended_leaves_the_figures_unknown(): void
    {
        $this->fpm->stop();
        $gain = $this->estimate([[new Page('GET', '/pages/json'), [Str::class]]]);

        self::assertSame([0.0, 1.0, null], [$gain->microsPerClass, $gain->classesPerRequest, $gain->requestMicros]);
    }

    /** @param list<array{Page, list<string>}> $pages */
    private function estimate(array $pages): Gain
    {
        $autoload = "{$this->generation->release->path()}/vendor/autoload.php";

        return (new GainEstimator($this->fpm, $autoload))->estimate(new ObservedPages($pages, []), self::LISTED);
    }
}
