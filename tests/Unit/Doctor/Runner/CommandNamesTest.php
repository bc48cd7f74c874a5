<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Runner;

use Headroom\Doctor\Runner\CommandNames;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CommandNamesTest extends TestCase
{
    #[Test]
    public function commands_are_shown_as_the_user_types_them(): void
    {
        $names = new CommandNames('php artisan headroom:doctor', 'php artisan');

        self::assertSame('php artisan headroom:doctor --only=N5', $names->verifying('N5'));
        self::assertSame('php artisan config:cache', $names->typed('artisan config:cache'));
        self::assertSame('php artisan headroom:doctor --only=L18', $names->typed('headroom doctor --only=L18'));
        self::assertSame('sudo headroom doctor', $names->typed('sudo headroom doctor'));
        self::assertSame('artisans', $names->typed('artisans'));
        self::assertSame('headroom doctor --only=N5', (new CommandNames)->verifying('N5'));
    }
}
