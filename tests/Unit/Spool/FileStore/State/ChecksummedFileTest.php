<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\FileStore\State;

use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\ChecksummedFile;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ChecksummedFileTest extends TestCase
{
    private const MAGIC = "\xF5HS\x01";

    #[Test]
    public function a_block_is_magic_generation_length_json_checksum_and_zeros(): void
    {
        $block = self::file()->encode(258, '{"a":1}');
        $record = "\xF5HS\x01\0\0\0\0\0\0\x01\x02\0\0\0\x07{\"a\":1}";

        self::assertSame(4096, strlen($block));
        self::assertSame(bin2hex($record), bin2hex(substr($block, 0, 23)));
        self::assertSame(hash('crc32c', $record), bin2hex(substr($block, 23, 4)));
        self::assertSame('', trim(substr($block, 27), "\0"));
    }

    /** @param array{int, string} $newest */
    #[Test]
    #[TestWith([1, 2, [2, 'second']])]
    #[TestWith([3, 2, [3, 'first']])]
    public function the_record_with_the_higher_generation_counts(int $first, int $second, array $newest): void
    {
        $file = self::file();

        self::assertSame($newest, $file->newest($file->encode($first, 'first').$file->encode($second, 'second')));
    }

    /** @param array{int, string} $newest */
    #[Test]
    #[TestWith([0, [1, 'old']])]
    #[TestWith([4096, [2, 'new']])]
    public function a_flipped_bit_leaves_the_other_record(int $block, array $newest): void
    {
        $file = self::file();
        $content = $file->encode(2, 'new').$file->encode(1, 'old');

        foreach (range(0, 22) as $byte) {
            $damaged = $content;
            $damaged[$block + $byte] = chr(ord($damaged[$block + $byte]) ^ 1);

            self::assertSame($newest, $file->newest($damaged), "Byte {$byte}.");
        }
    }

    #[Test]
    #[TestWith([''])]
    #[TestWith(["\xF5HS\x01"])]
    #[TestWith(["\xF5HS\x01\0\0\0\0\0\0\0\x01\xFF\xFF\xFF\xFF{}"])]
    public function a_file_without_a_valid_record_has_generation_zero(string $content): void
    {
        self::assertSame([0, ''], self::file()->newest($content));
    }

    #[Test]
    public function a_record_that_does_not_fit_makes_a_longer_block(): void
    {
        self::assertSame(4096, strlen(self::file()->encode(1, str_repeat('x', 4076))));
        self::assertSame(4097, strlen(self::file()->encode(1, str_repeat('x', 4077))));
    }

    #[Test]
    public function a_new_file_has_its_full_size_and_a_record_in_the_second_block(): void
    {
        $directory = TemporaryDirectory::create('checksummed');
        $path = "{$directory->path}/state";
        $file = new ChecksummedFile($path, self::MAGIC);

        $file->preallocate(new Permissions, '{}', static fn (string $new): bool => rename($new, $path));
        self::assertSame(str_repeat("\0", 4096).$file->encode(1, '{}'), file_get_contents($path));
        self::assertSame(['state'], array_values(array_diff((array) scandir($directory->path), ['.', '..'])));
        $directory->remove();
    }

    private static function file(): ChecksummedFile
    {
        return new ChecksummedFile('/nowhere', self::MAGIC);
    }
}
