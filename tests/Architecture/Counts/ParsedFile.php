<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * The parts of a file of src/ that the counts need.
 */
final readonly class ParsedFile
{
    /**
     * @param list<ParsedClass> $classes
     * @param list<string> $uses full names of the classes that the code names; a name in a docblock is none
     * @param list<Message> $messages
     * @param list<Text> $texts
     */
    public function __construct(
        public string $path,
        public array $classes,
        public array $uses,
        public array $messages,
        public array $texts,
    ) {}

    /** "Spool" for src/Spool/File/Slots.php */
    public function room(): string
    {
        return explode('/', $this->path)[1];
    }
}
