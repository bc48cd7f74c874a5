<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * Reads each source file once.
 *
 * @internal
 */
final class SourceCache
{
    /** @var array<string, SourceFile|UnableToRead> */
    private array $sources = [];

    public function __construct(private readonly Project $project) {}

    /**
     * @param string $file relative to the root
     *
     * @throws UnableToRead
     */
    public function get(string $file): SourceFile
    {
        $source = $this->sources[$file] ??= $this->read($file);

        return $source instanceof SourceFile ? $source : throw $source;
    }

    private function read(string $file): SourceFile|UnableToRead
    {
        try {
            return SourceReader::read($this->project->absolute($file));
        } catch (UnableToRead $e) {
            return $e;
        }
    }
}
