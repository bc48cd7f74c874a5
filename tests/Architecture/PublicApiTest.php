<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Tests\Architecture\Samples\Hidden;
use Headroom\Tests\Architecture\Samples\Shown;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PublicApiTest extends TestCase
{
    private const REGISTRY = 'docs/public-api.md';

    #[Test]
    public function the_registry_and_the_code_agree(): void
    {
        // The card of Pulse cannot be loaded without its parents.
        require_once Files::root().'/tests/Acceptance/Pulse/fixtures/livewire.php';
        require_once Files::root().'/tests/Acceptance/Pulse/fixtures/pulse/src/Livewire/Card.php';
        $api = PublicApi::fromMarkdown(Files::read(self::REGISTRY));
        $found = $api->contradictions(self::classes());

        self::assertNotSame([], $api->names, self::REGISTRY.' names no class.');
        self::assertSame('', implode("\n", $found), self::REGISTRY.' and src/ contradict each other.');
    }

    #[Test]
    public function every_row_gives_a_version_and_a_purpose(): void
    {
        self::assertSame([], PublicApi::incompleteRows(Files::read(self::REGISTRY)));
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function registries(): iterable
    {
        $shown = Shown::class;
        $hidden = Hidden::class;

        yield 'a hidden class that is named' => [
            "| `{$shown}` | 0.1 | x |\n| `{$hidden}` | 0.1 | x |\n", ["{$hidden} is named and says @internal."],
        ];
        yield 'a class that is not named' => [
            '| `x` | 0.1 | x |', ["{$shown} is not named and does not say @internal."],
        ];
        yield 'a class that shows a hidden one' => [
            "| `{$shown}` | 0.1 | x |", ["{$shown} is named and its take() shows {$hidden}, which is not."],
        ];
    }

    /** @param list<string> $expected */
    #[Test]
    #[DataProvider('registries')]
    public function a_contradiction_is_seen(string $registry, array $expected): void
    {
        self::assertSame($expected, PublicApi::fromMarkdown($registry)->contradictions([Shown::class, Hidden::class]));
    }

    #[Test]
    public function a_class_that_is_named_twice_or_gone_is_seen(): void
    {
        $registry = PublicApi::fromMarkdown("| `Headroom\\Gone` | 0.1 | x |\n| `Headroom\\Gone` | 0.1 | x |\n");

        self::assertSame(
            [
                'Headroom\Gone is named twice.',
                'Headroom\Gone is named and does not exist.',
                'Headroom\Gone is named and does not exist.',
            ],
            $registry->contradictions([]),
        );
        self::assertSame(
            ['Headroom\Gone cannot be loaded from the file of that name.'],
            PublicApi::fromMarkdown('')->contradictions(['Headroom\Gone']),
        );
    }

    #[Test]
    public function a_row_without_version_or_purpose_is_seen(): void
    {
        $rows = "| `Headroom\\A` | 0.1 | x |\n| `Headroom\\B` | soon | x |\n| `Headroom\\C` | 0.1 |  |\n";

        self::assertSame(
            ['| `Headroom\\B` | soon | x |', '| `Headroom\C` | 0.1 |  |'],
            PublicApi::incompleteRows($rows),
        );
    }

    /** @return list<string> */
    private static function classes(): array
    {
        return array_map(
            static fn (string $path): string => 'Headroom\\'
                .str_replace('/', '\\', substr($path, strlen('src/'), -strlen('.php'))),
            Files::php('src'),
        );
    }
}
