<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Closure;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\InvalidPage;
use Headroom\Report\ReportFile;
use JsonException;
use RuntimeException;

/**
 * A page beside the results that it is made of. The one that was there stays whole until there is another.
 */
final readonly class PageFile
{
    /**
     * @param string $results the file, or the directory, that it is made of
     * @param Closure(): string $html
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function write(string $path, string $results, Closure $html): string
    {
        try {
            $text = $html();
        } catch (InvalidPage|JsonException $failure) {
            throw UnableToReadResults::notDrawn($results, $failure->getMessage());
        }

        $obstacle = ReportFile::write($path, $text);

        return $obstacle === null
            ? $path
            : throw new RuntimeException(
                "{$path} could not be written: {$obstacle}. See whether the directory is there and may be written to.",
            );
    }

    /**
     * Makes NAME.html of NAME.json.
     *
     * @param Closure(): string $html
     * @return string its path
     * @throws UnableToReadResults
     */
    public static function beside(string $results, Closure $html): string
    {
        return self::write(preg_replace('/\.json\z/', '', $results).'.html', $results, $html);
    }
}
