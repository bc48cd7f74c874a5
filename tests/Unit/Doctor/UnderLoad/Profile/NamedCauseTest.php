<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Report;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Causes\CauseList;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;
use Headroom\Doctor\UnderLoad\Profile\RequestSamples;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Tests\Unit\Doctor\UnderLoad\Recordings;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Where CPU time is the cause, the diagnosis names functions, or says why it does not.
 */
final class NamedCauseTest extends TestCase
{
    /** @return iterable<string, array{Bottleneck, Recordings}> */
    public static function causesOfCpu(): iterable
    {
        $busy = Recordings::busy()->doing(40, WaitKind::Working);

        yield 'full CPUs' => [Bottleneck::CpuFull, $busy->idle(0.02)];
        yield 'a quota' => [Bottleneck::CpuQuota, $busy->kernel(0, 10, 9)];
    }

    #[Test]
    #[DataProvider('causesOfCpu')]
    public function the_sentence_the_evidence_and_the_advice_name_it(Bottleneck $bottleneck, Recordings $seen): void
    {
        $live = self::diagnosis($seen);
        self::assertTrue($live->isCpuBound());

        $named = $live->with(self::profile());

        self::assertSame($bottleneck, $named->cause->bottleneck);
        self::assertStringContainsString($live->cause->sentence, $named->cause->sentence);
        self::assertStringContainsString('App\Tree::sort()', $named->cause->sentence);
        self::assertStringContainsString('/srv/Tree.php:48', $named->cause->next);
        self::assertSame('App\Tree::sort()', $named->cause->evidence[0]->what);
        self::assertSame(self::profile()->toArray(), $named->document(new Report([]))['profile']);
        self::assertSame([], $named->missingData());
    }

    #[Test]
    public function why_there_is_no_profile_is_unknown_with_its_command(): void
    {
        $live = self::diagnosis(Recordings::busy()->doing(40, WaitKind::Working)->idle(0.02));
        $gap = new MissingData('which functions', 'There is no excimer.', 'sudo apt-get install -y php-excimer');

        $document = $live->with($gap)->document(new Report([]));

        self::assertSame([$gap->toArray()], $document['unknown']);
        self::assertNull($document['profile']);
        self::assertSame($live->cause->sentence, $document['sentence']);
    }

    #[Test]
    public function other_causes_take_no_profile(): void
    {
        self::assertFalse(self::diagnosis(Recordings::busy()->forRedis(40))->isCpuBound());
        self::assertFalse(self::diagnosis(Recordings::busy()->doing(40, WaitKind::Sleeping))->isCpuBound());
    }

    private static function diagnosis(Recordings $seen): LoadDiagnosis
    {
        return LoadDiagnosis::of($seen->recording(), CauseList::all(), 1.0);
    }

    private static function profile(): CpuProfile
    {
        $place = ['name' => 'App\Tree::sort()', 'file' => '/srv/Tree.php', 'line' => 48];
        $functions = [$place + ['self' => 71, 'inclusive' => 74]];
        $json = json_encode(['samples' => 100, 'cpu_us' => 100_000, 'functions' => $functions]);
        $request = RequestSamples::fromLine((string) $json);
        self::assertNotNull($request);

        return CpuProfile::of('/srv/index.php', [$request]);
    }
}
