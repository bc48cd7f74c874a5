<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Runner;

use Closure;
use Headroom\Console\Doctor\DoctorPage;
use Headroom\Console\Doctor\DoctorReport;
use Headroom\Console\Doctor\UnderLoadReport;
use Headroom\Doctor\Check;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Runner\CommandNames;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Tests\Architecture\Files;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CommandNamesTest extends TestCase
{
    private const ROOMS = ['src/Doctor', 'src/Laravel/Doctor', 'src/Console/Doctor'];

    /** @return iterable<string, array{string, string, string}> */
    public static function texts(): iterable
    {
        yield 'artisan' => ['artisan config:cache', 'php artisan config:cache', 'php artisan config:cache'];
        yield 'the doctor' => [
            'headroom doctor --only=L18', 'headroom doctor --only=L18', 'php artisan headroom:doctor --only=L18',
        ];
        yield 'sudo' => ['sudo headroom doctor', 'sudo headroom doctor', 'sudo php artisan headroom:doctor'];
        yield 'prose' => [
            'Read it with headroom logs:slow, then `artisan queue:restart`.',
            'Read it with headroom logs:slow, then `php artisan queue:restart`.',
            'Read it with php artisan headroom:logs:slow, then `php artisan queue:restart`.',
        ];
        yield 'already typed' => ['php8.4 artisan about', 'php8.4 artisan about', 'php8.4 artisan about'];
        yield 'a path' => ['/app/artisan about', '/app/artisan about', '/app/artisan about'];
        yield 'a program' => ['vendor/bin/headroom doctor', 'vendor/bin/headroom doctor', 'vendor/bin/headroom doctor'];
        yield 'a line of a log' => ['headroom preload: gone', 'headroom preload: gone', 'headroom preload: gone'];
        yield 'another word' => ['artisans work', 'artisans work', 'artisans work'];
    }

    #[Test]
    #[DataProvider('texts')]
    public function commands_are_named_as_a_user_types_them(string $text, string $alone, string $underArtisan): void
    {
        self::assertSame($alone, (new CommandNames)->in($text));
        self::assertSame($alone, (new CommandNames)->in($alone));
        self::assertSame($underArtisan, (new CommandNames('php artisan headroom:'))->in($text));
        self::assertSame($underArtisan, (new CommandNames('php artisan headroom:'))->in($underArtisan));
    }

    #[Test]
    public function each_command_in_each_place_of_a_report_can_be_typed(): void
    {
        $texts = self::literals();
        self::assertGreaterThan(30, count($texts));

        foreach (self::printed(implode(' | ', $texts), new CommandNames) as $place => $printed) {
            self::assertSame([], self::found('~(?<!php )(?<![\w/.])artisan [a-z]\S*~', $printed), $place);
            self::assertNotSame([], self::found('~php artisan db:show~', $printed), $place);
        }

        foreach (self::printed(
            implode(' | ', $texts),
            new CommandNames('php artisan headroom:'),
        ) as $place => $printed) {
            self::assertSame([], self::found('~(?<!php )(?<![\w/.])artisan [a-z]\S*~', $printed), $place);
            self::assertSame([], self::found('~(?<![\w/.])headroom (?:doctor|logs|load)\b~', $printed), $place);
            self::assertNotSame([], self::found('~php artisan headroom:logs:slow~', $printed), $place);
        }
    }

    /** @return list<string> */
    private static function found(string $pattern, string $printed): array
    {
        preg_match_all($pattern, $printed, $found);

        return $found[0];
    }

    /** @return list<string> every text of the doctor that names a command */
    private static function literals(): array
    {
        $texts = [];

        foreach (Files::php(...self::ROOMS) as $file) {
            foreach (token_get_all(Files::read($file)) as $token) {
                $isText = is_array($token)
                    && in_array($token[0], [T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE], true);

                if ($isText && preg_match('~(?<![\w/])(?:artisan|headroom) [a-z]~', $token[1]) === 1) {
                    $texts[] = trim($token[1], "'\"");
                }
            }
        }

        return array_values(array_unique($texts));
    }

    /** @return array<string, string> what is printed, by place */
    private static function printed(string $text, CommandNames $names): array
    {
        $report = self::report($text, $names);
        $live = self::live($text)->withUserCommands($names->in(...));
        $report = $report->supportedBy(['XX1' => 'seen'], $names->in('headroom doctor --url'));

        return [
            'terminal' => self::oneLine(implode(' ', (new DoctorReport($report, true))->lines())),
            'json' => json_encode($report->toArray(), JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR),
            'page' => (new DoctorPage($report, 'today', $live))->html(),
            'live' => self::oneLine(implode(' ', (new UnderLoadReport($live, $report))->lines())),
            'live json' => json_encode($live->document($report), JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR),
        ];
    }

    private static function oneLine(string $text): string
    {
        return (string) preg_replace('/\s+/', ' ', $text);
    }

    private static function report(string $text, CommandNames $names): Report
    {
        $evidence = [new Evidence('setting', '1', $text)];
        $fix = new Fix($text, [new ManualChange($text, $text)], [$text], $text, $text);
        $findings = [
            Finding::fail($text, $evidence, $fix, $text),
            Finding::warn($text, $evidence, $fix, $text)->about('www'),
            Finding::pass($text, ...$evidence),
            Finding::skipped($text, $text),
            Finding::unknown($text, $text),
        ];
        $checks = CheckList::ofPackage()->only([]);

        foreach ([
            static fn (): array => $findings,
            static fn (): array => throw FactUnavailable::because($text, $text),
            static fn (): array => throw NotApplicable::of($text),
        ] as $index => $examine) {
            $id = 'XX'.($index + 1);
            $checks = $checks->with($id, new class($examine) implements Check
            {
                public function __construct(private readonly Closure $examine) {}

                public function examine(Facts $facts): iterable
                {
                    /** @var iterable<Finding> $findings */
                    $findings = ($this->examine)();

                    return $findings;
                }
            }, new CheckText($id, 'Title', Severity::High, Layer::Nginx, 'Why.', [], 1));
        }

        return (new CheckRunner($checks, $names))->run(new Facts([]));
    }

    private static function live(string $text): LoadDiagnosis
    {
        $recording = new Recording([], [new Snapshot(0)], missingData: [new MissingData($text, $text, $text)]);
        $cause = new class($text) implements CauseDetector
        {
            public function __construct(private readonly string $text) {}

            public function in(Recording $recording): Cause
            {
                return new Cause(
                    Bottleneck::CpuFull,
                    1.0,
                    $this->text,
                    [new Evidence('setting', '1', $this->text)],
                    Severity::High,
                    $this->text,
                    $this->text,
                );
            }
        };

        return LoadDiagnosis::of($recording, [$cause, $cause], 1.0)->with(new MissingData($text, $text, $text));
    }
}
