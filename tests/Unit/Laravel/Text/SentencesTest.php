<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Text;

use Headroom\Laravel\Text\Sentences;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class SentencesTest extends TestCase
{
    #[Test]
    #[TestWith(['Run `spool:health`.', 'Run `php artisan spool:health`.'])]
    #[TestWith([
        '`spool:flush events --now`, `migrate`', '`php artisan spool:flush events --now`, `php artisan migrate`',
    ])]
    #[TestWith(['`config:clear`', '`php artisan config:clear`'])]
    #[TestWith(['Set it in `config/spool.php`.', 'Set it in `config/spool.php`.'])]
    #[TestWith(['`schedule` is false, `cache`', '`schedule` is false, `cache`'])]
    #[TestWith(['`php artisan spool:health`', '`php artisan spool:health`'])]
    #[TestWith(['`migrate_table`', '`migrate_table`'])]
    public function only_commands_get_the_program(string $text, string $expected): void
    {
        self::assertSame($expected, Sentences::withCommands($text));
    }
}
