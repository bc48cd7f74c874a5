<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Closure;
use InflateContext;

/**
 * Decodes one coding of a body as its bytes come.
 *
 * @internal
 */
final class Decompressor
{
    /** By coding, the PHP extension that decodes it in pieces; its functions begin with this name. */
    private const EXTENSIONS = ['br' => 'brotli', 'zstd' => 'zstd'];

    private const ZLIB = ['gzip', 'x-gzip', 'deflate'];

    private const STEP_BYTES = 4_096;

    private const OTHER_STEP_BYTES = 16;

    /** brotli ignores bytes after its end; before its end, that many bytes of ones are data or an error. */
    private const ONES = 1_024;

    private const GZIP_MAGIC = "\x1f\x8b";

    private ?InflateContext $context = null;

    /** The first byte of deflate; only the second shows whether there is a zlib header. */
    private string $held = '';

    private bool $isWhole = false;

    private ?bool $isOtherWhole = null;

    /**
     * @param ?Closure(string): (string|false) $other decodes a coding that zlib does not have
     * @param ?ZstdFrames $pieces cuts the data for it
     */
    private function __construct(
        private readonly string $coding,
        private readonly ?Closure $other,
        private readonly ?ZstdFrames $pieces = null,
    ) {}

    public static function knows(string $coding): bool
    {
        return in_array($coding, self::ZLIB, true) || isset(self::EXTENSIONS[$coding]);
    }

    /** @throws UnableToDecode */
    public static function of(string $coding): self
    {
        if (in_array($coding, self::ZLIB, true)) {
            return function_exists('inflate_init')
                ? new self($coding, null)
                : throw UnableToDecode::missing($coding, 'zlib');
        }

        $extension = self::EXTENSIONS[$coding] ?? throw UnableToDecode::unknown();
        $begin = "{$extension}_uncompress_init";
        $add = "{$extension}_uncompress_add";

        if (! is_callable($begin) || ! is_callable($add)) {
            throw UnableToDecode::missing($coding, $extension);
        }

        $context = $begin();

        if ($context === false) {
            throw UnableToDecode::missing($coding, $extension);
        }

        return new self($coding, static function (string $piece) use ($add, $context): string|false {
            $decoded = @$add($context, $piece);

            return is_string($decoded) ? $decoded : false;
        }, $extension === 'zstd' ? new ZstdFrames : null);
    }

    /** @throws UnableToDecode */
    public function add(string $piece): string
    {
        if ($this->other !== null) {
            $decoded = '';

            foreach ($this->pieces?->cut($piece) ?? [$piece] as $part) {
                $decoded .= self::demand(($this->other)($part), $this->coding);
            }

            return $decoded;
        }

        $piece = $this->held.$piece;

        if ($this->context === null && $this->coding === 'deflate' && strlen($piece) < 2) {
            $this->held = $piece;

            return '';
        }

        $this->held = '';

        return $this->inflate($piece);
    }

    /**
     * The most bytes to add at once. Deflate decodes one byte to at most about 1,032; brotli decodes a few to 16 MB.
     *
     * @return int<1, max>
     */
    public function stepBytes(): int
    {
        return $this->other === null ? self::STEP_BYTES : self::OTHER_STEP_BYTES;
    }

    /** After the last piece. */
    public function isWhole(): bool
    {
        if ($this->other !== null) {
            return $this->isOtherWhole ??= $this->pieces?->isWhole()
                ?? ($this->other)(str_repeat("\xFF", self::ONES)) === '';
        }

        return $this->isWhole;
    }

    private static function demand(string|false $decoded, string $coding): string
    {
        return $decoded === false ? throw UnableToDecode::broken($coding) : $decoded;
    }

    private function inflate(string $piece): string
    {
        $decoded = '';

        while ($piece !== '') {
            if ($this->isWhole) {
                // Several gzip members may follow each other; any other bytes are padding.
                $this->held = $this->coding === 'deflate' ? '' : $piece;

                if ($this->coding === 'deflate' || ! str_starts_with(self::GZIP_MAGIC, substr($piece, 0, 2))) {
                    $this->held = '';

                    return $decoded;
                }

                if (strlen($piece) < 2) {
                    return $decoded;
                }

                $this->held = '';
                $this->context = null;
                $this->isWhole = false;
            }

            $context = $this->context ??= $this->begin($piece);
            $before = inflate_get_read_len($context);
            $part = @inflate_add($context, $piece, ZLIB_SYNC_FLUSH);

            if ($part === false) {
                throw UnableToDecode::broken($this->coding);
            }

            $decoded .= $part;
            $this->isWhole = inflate_get_status($context) === ZLIB_STREAM_END;
            $piece = $this->isWhole ? substr($piece, inflate_get_read_len($context) - $before) : '';
        }

        return $decoded;
    }

    private function begin(string $piece): InflateContext
    {
        $context = inflate_init(match (true) {
            $this->coding !== 'deflate' => ZLIB_ENCODING_GZIP,
            // RFC 1950, section 2.2: method 8, and both bytes are a multiple of 31. Some servers send raw deflate.
            (ord($piece[0]) & 0x0F) === 8 && ((ord($piece[0]) << 8) | ord($piece[1])) % 31 === 0
                => ZLIB_ENCODING_DEFLATE,
            default => ZLIB_ENCODING_RAW,
        });

        return $context === false ? throw UnableToDecode::broken($this->coding) : $context;
    }
}
