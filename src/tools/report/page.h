/// What the pages of reports and evaluations share.
#ifndef AMI_MEASURE_PAGE_H
#define AMI_MEASURE_PAGE_H

/// A <style> element: cards, tables, tiles and the classes of the plots.
extern const char ami_page_style[];

#endif
