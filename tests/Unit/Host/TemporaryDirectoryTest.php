<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host;

use Headroom\Host\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class TemporaryDirectoryTest extends TestCase
{
    #[Test]
    public function only_its_owner_enters_it(): void
    {
        $directory = TemporaryDirectory::create('test');

        self::assertSame(0o700, fileperms($directory->path) & 0o777);
        $directory->remove();
    }

    #[Test]
    public function removing_it_takes_what_is_in_it_but_not_what_a_link_leads_to(): void
    {
        $elsewhere = TemporaryDirectory::create('test');
        $elsewhere->write('kept', 'x');
        $directory = TemporaryDirectory::create('test');
        mkdir($directory->file('a/b'), recursive: true);
        $directory->write('a/b/c', 'x');
        symlink($elsewhere->path, $directory->file('link'));

        $directory->remove();
        $directory->remove();

        self::assertDirectoryDoesNotExist($directory->path);
        self::assertFileExists($elsewhere->file('kept'));
        $elsewhere->remove();
    }
}
