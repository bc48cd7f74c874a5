<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load;

use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Load\Template;
use Headroom\Load\TemplateRequests;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class TemplateTest extends TestCase
{
    #[Test]
    public function the_number_of_the_request_is_filled_in_everywhere(): void
    {
        self::assertSame(
            '{"a":7,"b":{"c":"7-7"}}',
            Template::parse('{"a":{{n}},"b":{"c":"{{ n }}-{{n}}"}}')->render(7),
        );
    }

    #[Test]
    public function every_uuid_is_another_one_of_version_4(): void
    {
        $template = Template::parse('{{uuid}} {{uuid}}');
        $seen = [];

        for ($i = 0; $i < 500; $i++) {
            foreach (explode(' ', $template->render($i)) as $uuid) {
                self::assertMatchesRegularExpression(
                    '/\A[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\z/',
                    $uuid,
                );
                $seen[$uuid] = true;
            }
        }

        self::assertCount(1_000, $seen);
    }

    #[Test]
    public function random_numbers_reach_both_ends_and_stay_between_them(): void
    {
        $template = Template::parse('{{random:-2-3}}', new Randomizer(new Mt19937(5)));
        $seen = [];

        for ($i = 0; $i < 400; $i++) {
            $seen[(int) $template->render($i)] = true;
        }

        ksort($seen);
        self::assertSame([-2, -1, 0, 1, 2, 3], array_keys($seen));
        self::assertSame('4', Template::parse('{{random:4-4}}')->render(0));
    }

    /** @return iterable<string, array{string}> */
    public static function unknown(): iterable
    {
        foreach (['x', '', 'N', 'random', 'random:1', 'random:5-4', 'random:a-b', 'uuid4'] as $name) {
            yield "'{$name}'" => [$name];
        }
    }

    #[Test]
    #[DataProvider('unknown')]
    public function an_unknown_placeholder_is_refused_and_the_known_ones_named(string $name): void
    {
        foreach (["{{{$name}}}", '{{n}}', '{{uuid}}', '{{random:A-B}}'] as $shown) {
            Refused::assert('body', $shown, static fn (): Template => Template::parse("a {{{$name}}} b"));
        }
    }

    #[Test]
    public function text_without_placeholders_stays_as_it_is(): void
    {
        foreach (['', 'plain', '{"a":{"b":{}}}', '{{ not closed', "\0\xff{{"] as $text) {
            self::assertTrue(Template::parse($text)->isConstant());
            self::assertSame($text, Template::parse($text)->render(3));
        }

        self::assertFalse(Template::parse('{{n}}')->isConstant());
    }

    #[Test]
    public function a_source_fills_the_template_into_each_request(): void
    {
        $request = new Request('http://127.0.0.1/', 'POST', '{{n}}', ['A: b']);
        $source = new TemplateRequests($request, Template::parse('n={{n}}'));

        self::assertEquals($request->withBody('n=0'), $source->next(0));
        self::assertEquals($request->withBody('n=12'), $source->next(12));
        self::assertSame($request, (new SameRequest($request))->next(12));
    }
}
