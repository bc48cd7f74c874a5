<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Http;

use Headroom\Sink\Http\Statuses;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class StatusesTest extends TestCase
{
    /** @return iterable<string, array{string, list<int>}> */
    public static function readable(): iterable
    {
        yield 'none' => ['[]', []];
        yield 'numbers' => ['[200,422, 200]', [200, 422, 200]];
        yield 'objects' => ['[{"status":200},{"error":"no","status":422}]', [200, 422]];
        yield 'both, with blanks everywhere' => [" [ 200 ,\n{ \"status\" : 422 }\t]\r\n", [200, 422]];
        yield 'brackets, commas, quotes and backslashes in a text' => [
            '[{"error":"],}\"\\\\","status":400},200]', [400, 200],
        ];
        yield 'something in something' => ['[{"status":400,"errors":[{"at":[1,2]},{}]},200]', [400, 200]];
        yield 'under items' => ['{"items":[200,{"status":409}]}', [200, 409]];
        yield 'under items among others' => [
            '{"took": 3, "errors":[{"items":[1]}], "items" : [200], "note":"]}"}', [200],
        ];
        yield 'an escaped key' => ['{"\u0069tems":[201]}', [201]];
        yield 'as long as an entry may be' => ['[{"status":400,"error":"'.str_repeat('x', 16_384 - 26).'"}]', [400]];
    }

    /** @param list<int> $statuses */
    #[Test]
    #[DataProvider('readable')]
    public function each_entry_has_its_status(string $body, array $statuses): void
    {
        $read = Statuses::parse($body, count($statuses));

        self::assertInstanceOf(Statuses::class, $read, is_string($read) ? $read : '');
        self::assertSame($statuses, $read->all);
    }

    /** @return iterable<string, array{string, list<int>}> the body and the numbers in what is told */
    public static function unreadable(): iterable
    {
        foreach ([
            '', 'x', 'null', '200', '{}', '{"items":1}', '{"items":{"0":200}}', '{"items":[200,200]',
            '{"items":[200,200],', '{"a":1,items:[200,200]}', '[200,200', '[200,200]]', '[200,200] x', '{"x":"', '{"',
            '{"\\',
        ] as $body) {
            yield $body => [$body, []];
        }

        yield 'too few' => ['[200]', [1]];
        yield 'too many' => ['[200,200,200]', [2]];
        yield 'a comma at the end' => ['[200,200,]', [2]];
        yield 'nothing between' => ['[200,,]', [2, 200, 299, 400, 599]];
        yield 'a redirect' => ['[200,301]', [2, 200, 299, 400, 599]];
        yield 'a text' => ['["200",200]', [1, 200, 299, 400, 599]];
        yield 'a fraction' => ['[200.0,200]', [1, 200, 299, 400, 599]];
        yield 'a status that is none' => ['[{"status":"ok"},200]', [1, 200, 299, 400, 599]];
        yield 'no quote at the end' => ['[200,"', [2, 200, 299, 400, 599]];
        yield 'deeply nested' => [
            '[{"status":200,"a":'.str_repeat('[', 40).str_repeat(']', 40).'},200]', [1, 200, 299, 400, 599],
        ];
        yield 'too long' => [
            '[200,{"status":400,"error":"'.str_repeat('x', 16_384).'"}]', [2, 200, 299, 400, 599, 16_384],
        ];
    }

    /** @param list<int> $numbers */
    #[Test]
    #[DataProvider('unreadable')]
    public function a_body_that_is_no_list_of_statuses_is_explained(string $body, array $numbers): void
    {
        $read = Statuses::parse($body, 2);

        self::assertIsString($read);
        preg_match_all('/\d+/', $read, $told);
        self::assertEqualsCanonicalizing($numbers, array_map(intval(...), $told[0]));
        self::assertSame($numbers === [], str_contains($read, 'JSON'));
    }
}
