<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Closure;
use Opis\JsonSchema\Errors\ErrorFormatter;
use Opis\JsonSchema\Validator;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use stdClass;

/**
 * The experiments write files of the schema resources/schema/results.schema.json.
 */
final class ResultsSchemaTest extends TestCase
{
    private const SCHEMA = __DIR__.'/../../../resources/schema/results.schema.json';

    private const RESULTS = __DIR__.'/../../../benchmarks/results';

    #[Test]
    #[DataProvider('committed')]
    public function committed_results_are_of_the_schema(string $path): void
    {
        $results = self::read($path);

        self::assertSame([], self::mistakes($results));
        self::assertSame(basename($path, '.json'), $results->experiment ?? null);
    }

    /** @return iterable<string, array{string}> */
    public static function committed(): iterable
    {
        $paths = glob(self::RESULTS.'/*.json');

        foreach ($paths === false ? [] : $paths as $path) {
            // Quick runs are not committed.
            if (! str_ends_with($path, '-quick.json')) {
                yield basename($path) => [$path];
            }
        }
    }

    /** @param Closure(stdClass): void $break */
    #[Test]
    #[DataProvider('breaking')]
    public function broken_results_are_not_of_the_schema(string $file, Closure $break, string $where): void
    {
        $results = self::read(self::RESULTS."/{$file}");
        self::assertSame([], self::mistakes($results));
        $break($results);

        self::assertContains($where, self::mistakes($results));
    }

    /**
     * @return iterable<string, array{string, Closure(stdClass): void, string}> file, what is done to it,
     *     where a mistake is found
     */
    public static function breaking(): iterable
    {
        $machine = static fn (stdClass $all): stdClass => self::at($all, 'parts', 'stages', 'machine');

        yield 'without a name' => ['load.json', static function (stdClass $all): void {
            unset($all->experiment);
        }, '/'];
        yield 'without a machine' => ['load.json', static function (stdClass $all): void {
            unset($all->machine);
        }, '/'];
        yield 'parts, and no word whether it was quick' => ['bottleneck.json', static function (stdClass $all): void {
            unset($all->quick);
        }, '/'];
        yield 'a part without its machine' => ['bottleneck.json', static function (stdClass $all): void {
            unset(self::at($all, 'parts', 'stages')->machine);
        }, '/parts/stages'];
        yield 'a part without its figures' => ['bottleneck.json', static function (stdClass $all): void {
            unset(self::at($all, 'parts', 'stages')->figures);
        }, '/parts/stages'];
        yield 'a machine without a commit' => ['bottleneck.json', static function (stdClass $all) use ($machine): void {
            unset($machine($all)->commit);
        }, '/parts/stages/machine'];
        yield 'no core' => ['bottleneck.json', static function (stdClass $all) use ($machine): void {
            $machine($all)->cores = 0;
        }, '/parts/stages/machine/cores'];
        yield 'a date of the reader' => ['bottleneck.json', static function (stdClass $all) use ($machine): void {
            $machine($all)->date = '23.11.2026';
        }, '/parts/stages/machine/date'];
        yield 'a result in words' => ['write-buffer.json', static function (stdClass $all): void {
            self::at($all, 'result')->parallel_lost = 'none';
        }, '/result/parallel_lost'];
        yield 'less than nothing lost' => ['write-buffer.json', static function (stdClass $all): void {
            self::at($all, 'result')->lost = -1;
        }, '/result/lost'];
        yield 'half an error' => ['collector.json', static function (stdClass $all): void {
            self::at($all, 'result')->errors = 0.5;
        }, '/result/errors'];
        yield 'a time before it began' => ['collector.json', static function (stdClass $all): void {
            self::at($all, 'result')->soak_p99_ms = -3;
        }, '/result/soak_p99_ms'];
        yield 'figures beside the parts' => ['preload.json', static function (stdClass $all): void {
            $all->figures = new stdClass;
        }, '/'];
        yield 'no part' => ['preload.json', static function (stdClass $all): void {
            $all->parts = new stdClass;
        }, '/parts'];
    }

    private static function at(stdClass $all, string ...$keys): stdClass
    {
        foreach ($keys as $key) {
            $all = $all->{$key} ?? null;
            self::assertInstanceOf(stdClass::class, $all, $key);
        }

        return $all;
    }

    private static function read(string $path): stdClass
    {
        $results = json_decode((string) file_get_contents($path), flags: JSON_THROW_ON_ERROR);

        return $results instanceof stdClass ? $results : self::fail("{$path} holds no object.");
    }

    /** @return list<string> places of what is not of the schema */
    private static function mistakes(stdClass $results): array
    {
        $error = (new Validator(stop_at_first_error: false, max_errors: 50))->validate(
            $results,
            (string) file_get_contents(self::SCHEMA),
        )->error();

        return $error === null ? [] : array_map(strval(...), array_keys((new ErrorFormatter)->format($error)));
    }
}
