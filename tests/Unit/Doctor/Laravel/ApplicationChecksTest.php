<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Laravel;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Redis\Checks\NoTimeouts;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\FaultySettings;
use Headroom\Tests\Unit\Doctor\Support\NearSettings;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Each check of an application: settings that make it fire, and settings as near as can be that do not.
 *
 * @phpstan-import-type OtherFacts from Applications
 */
final class ApplicationChecksTest extends TestCase
{
    /**
     * @param array<string, mixed> $config
     * @param OtherFacts $other
     * @param list<string> $shown
     */
    #[Test]
    #[DataProviderExternal(FaultySettings::class, 'all')]
    public function it_fires(string $id, array $config, array $other, array $shown): void
    {
        $problems = (new CheckRunner(Checks::only($id)))->run(Applications::with($config, ...$other))->problems();

        Examined::shows(
            $shown,
            implode("\n", array_map(static fn (CheckResult $verdict): string => $verdict->finding->message, $problems)),
        );
        self::assertNotSame([], $problems);

        foreach ($problems as $problem) {
            self::assertNotSame([], $problem->finding->evidence);
            self::assertNotSame('', $problem->finding->consequence);
            self::assertNotNull($problem->finding->fix);
            self::assertNotSame('', $problem->finding->fix->rollback);
        }
    }

    #[Test]
    #[Group('snapshot')]
    public function each_problem_has_its_message(): void
    {
        $words = '';

        foreach (FaultySettings::all() as $name => [$id, $config, $other]) {
            foreach ((new CheckRunner(Checks::only($id)))->run(Applications::with(
                $config,
                ...$other,
            ))->problems() as $problem) {
                $words .= "{$id}, {$name}: {$problem->finding->message}\n";
            }
        }

        Snapshot::assertPrinted('doctor application', 'problems', $words);
    }

    /**
     * @return iterable<string, array{array<string, string>, bool}> files, and whether the command
     *     that makes the file is named
     */
    public static function files(): iterable
    {
        yield 'it has the file' => [['.env' => '', 'config/database.php' => '<?php return [];'], false];
        yield "it uses Laravel's own" => [['.env' => '', 'config/app.php' => '<?php return [];'], true];
        yield 'the files could not be read' => [[], false];
    }

    /** @param array<string, string> $texts */
    #[Test]
    #[DataProvider('files')]
    public function a_file_that_the_application_lacks_is_made_first(array $texts, bool $isMade): void
    {
        $app = new Application(
            '/app',
            '12.0.0',
            'production',
            false,
            [],
            [
                'session' => ['driver' => 'redis', 'connection' => 'default'],
                'database' => ['redis' => ['client' => 'phpredis', 'default' => ['host' => '127.0.0.1']]],
            ],
            texts: $texts,
        );
        $facts = new Facts([Application::class => static fn (): Application => $app]);

        $text = [...(new NoTimeouts)->examine($facts)][0]->fix->text ?? '';

        Examined::shows(['database.redis.default', 'config/database.php'], $text);
        self::assertSame($isMade, str_contains($text, '`config:publish database`'));
    }

    /**
     * @param array<string, mixed> $config
     * @param OtherFacts $other
     */
    #[Test]
    #[DataProviderExternal(NearSettings::class, 'all')]
    public function it_does_not_fire_beside_it(string $id, array $config, array $other, Status $status): void
    {
        $diagnosis = (new CheckRunner(Checks::only($id)))->run(Applications::with($config, ...$other));

        self::assertSame([], $diagnosis->problems());
        self::assertGreaterThan(0, $diagnosis->count($status));
        self::assertSame(0, $diagnosis->count(Status::Crashed));
    }
}
