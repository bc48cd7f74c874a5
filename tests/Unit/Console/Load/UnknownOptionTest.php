<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Load;

use Headroom\Console\Load\LoadDefinition;
use Headroom\Console\Load\UnknownOption;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClassConstant;

final class UnknownOptionTest extends TestCase
{
    #[Test]
    public function each_name_of_another_tool_leads_to_an_option_that_there_is(): void
    {
        $own = LoadDefinition::own();
        $names = (new ReflectionClassConstant(UnknownOption::class, 'OURS'))->getValue();
        self::assertIsArray($names);
        $seen = [];

        foreach ($names as $ours => $theirs) {
            self::assertIsArray($theirs);
            preg_match_all('/--([a-z-]+)/', (string) $ours, $options);

            foreach ($options[1] as $option) {
                self::assertTrue($own->hasOption($option), $option);
            }

            foreach ($theirs as $name) {
                self::assertIsString($name);
                self::assertFalse($own->hasOption($name), $name);
                $seen[] = $name;
                self::assertStringEndsWith(
                    " Use {$ours}.",
                    UnknownOption::explain("The \"--{$name}\" option does not exist.", $own),
                );
            }
        }

        self::assertSame(array_unique($seen), $seen);
    }

    #[Test]
    public function another_complaint_stays_as_it_is(): void
    {
        self::assertSame(
            'Not enough arguments.',
            UnknownOption::explain('Not enough arguments.', LoadDefinition::own()),
        );
    }
}
